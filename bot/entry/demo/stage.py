"""The stage of a rehearsal: alerts and pastes go in where Slack's would, the answers come out in the terminal."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping
from datetime import datetime

from rich.console import Console
from rich.text import Text

from bot.app.ports import Clock, Cluster, Incidents, Queue, Read
from bot.app.ports.queue import WorkQueue
from bot.app.requests import Alert, AlertGroup, Paste, Request
from bot.entry.demo.asking import Asker
from bot.knowledge.words import Words
from bot.model.incident import Place
from bot.model.objects import KubeObject
from bot.model.sections import Section
from bot.model.snapshot import known
from bot.narrate.reasons import in_words

CHANNEL = "gpu-alerts"
#: Who pastes.
REPORTER = "U0ONCALL"


class Stage:
    """What a script may do.

    Args:
        console: the terminal.
        asker: the person in front of it.
        words: what is said beside the bot's own messages.
        queue: the ear's side of the queue.
        work: the worker's side; requests are handled on this thread, one after the other.
        handle: the desk.
        cluster: the rehearsed cluster, read as the bot reads it.
        clock: world time.
        wall: decision time.
        incidents: those that the bot knows.
    """

    def __init__(
        self,
        *,
        console: Console,
        asker: Asker,
        words: Words,
        queue: Queue,
        work: WorkQueue,
        handle: Callable[[Request], None],
        cluster: Cluster,
        clock: Clock,
        wall: Clock,
        incidents: Incidents,
    ) -> None:
        self._console = console
        self.asker = asker
        self.words = words
        self._queue = queue
        self._work = work
        self._handle = handle
        self._cluster = cluster
        self._clock = clock
        self._decision = wall
        self._numbers = itertools.count(1)
        self._place = Place(CHANNEL)
        self._incidents = incidents

    def now(self) -> datetime:
        """The world's moment."""
        return self._clock.now()

    def wall(self) -> datetime:
        """The moment of decision time."""
        return self._decision.now()

    def number(self) -> int:
        """A number that was not used before."""
        return next(self._numbers)

    def incident(self) -> str:
        """The id of the incident on stage."""
        return self._incidents.all_open()[0].id

    @property
    def thread(self) -> str:
        """The thread of the incident on stage."""
        return self._incidents.all_open()[0].place.thread

    def show(self, text: str) -> None:
        """Print text as it is."""
        self._console.print(Text(text))

    def said(self, reason: str, **values: str | int) -> str:
        """A reason of the catalogue in words; its values may be reasons themselves."""
        return in_words(self.words, reason, values)

    def tell(self, reason: str, **values: str | int) -> None:
        """Say what happens, beside the bot's own messages."""
        self._console.print(Text(f"\n▶ {self.said(reason, **values)}", style="bold"))

    def ask(self, reason: str, **values: str | int) -> None:
        """Return when the rehearsal shall go on.

        Raises:
            Stopped: it shall not.
        """
        self.asker.go_on(self.said(reason, **values))

    def alert(self, labels: Mapping[str, str]) -> None:
        """Alertmanager sends a group with one firing alert."""
        number = next(self._numbers)
        alert = Alert(
            firing=True,
            labels=labels,
            starts_at=self.now(),
            fingerprint=f"demo-{number}",
        )
        group_key = "{}:" + ",".join(f"{name}={value}" for name, value in sorted(labels.items()))
        self.deliver(AlertGroup(id=f"alert-{number}", group_key=group_key, alerts=(alert,), place=self._place))

    def paste(self, text: str) -> None:
        """A person pastes text into the thread."""
        number = next(self._numbers)
        place = Place(CHANNEL, self.thread)
        self.deliver(Paste(id=f"paste-{number}", text=text, place=place, user=REPORTER, at=self.wall()))

    def objects(self, section: Section) -> tuple[KubeObject, ...]:
        """The cluster's objects, read as the bot reads them."""
        (pages,) = self._cluster.read((Read(section=section),))
        return known(pages.objects)

    def wait_until(self, happened: Callable[[], bool], seconds: float) -> bool:
        """Wait for the world to move; False if it did not within so many seconds of the wall's clock."""
        ends = time.monotonic() + seconds
        while not happened():
            if time.monotonic() > ends:
                return False
            time.sleep(0.2)
        return True

    def deliver(self, request: Request) -> None:
        """Into the durable queue and out of it again, as between Slack's ear and the worker."""
        self._queue.enqueue(request, dedupe=(request.id,))
        for delivery in self._work.take(1):
            if delivery.request is not None:
                self._handle(delivery.request)
            self._work.done(delivery)
