"""What the ear itself says: refusals, questions back, the help. Posts leave after the acknowledgement, in a thread."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from threading import Lock

import structlog

from bot.app.ports import NotInChannel, Poster, PostFailed, Presenter
from bot.entry.slack.settings import SlackSettings
from bot.model.incident import Place
from bot.model.message import Message

#: Refusals that are remembered, so that one who goes on writing in a thread is not answered each time.
_REMEMBERED = 1000

_log = structlog.get_logger(__name__)


class Voice:
    """Says reasons of the catalogue in the language of the channel."""

    def __init__(
        self, settings: SlackSettings, presenters: Mapping[str, Presenter], poster: Poster, executor: Executor
    ) -> None:
        """Take what words and posts are made with.

        Args:
            settings: which channel speaks which language.
            presenters: one for each language of the settings.
            poster: puts messages into Slack.
            executor: where posts wait for Slack, so that no acknowledgement does.

        Raises:
            ValueError: a language of the settings has no presenter.
        """
        wanted = {settings.lang, *(one.language for one in settings.channels if one.language)}
        if missing := wanted - set(presenters):
            raise ValueError(f"no words in the language {', '.join(sorted(missing))}")
        self._settings = settings
        self._presenters = presenters
        self._poster = poster
        self._executor = executor
        self._lock = Lock()
        self._said: OrderedDict[tuple[Place, str], None] = OrderedDict()

    def words(self, channel: str, reason: str, values: Mapping[str, str]) -> Message:
        """The words themselves."""
        return self._presenters[self._settings.lang_of(channel)].say(reason, values)

    def say_once(self, place: Place, whom: str, reason: str, values: Mapping[str, str]) -> None:
        """Say it in the thread, unless something was said to `whom` there before: two bots must not talk for ever."""
        with self._lock:
            if (place, whom) in self._said:
                return
            self._said[place, whom] = None
            if len(self._said) > _REMEMBERED:
                self._said.popitem(last=False)
        message = self.words(place.channel, reason, values)
        self._executor.submit(self._deliver, reason, lambda: self._poster.post(place, message))

    def respond(self, response_url: str, channel: str, reason: str, values: Mapping[str, str]) -> None:
        """Say it for the eyes of who asked."""
        message = self.words(channel, reason, values)
        self._executor.submit(self._deliver, reason, lambda: self._poster.respond(response_url, message))

    def _deliver(self, reason: str, deliver: Callable[[], object]) -> None:
        try:
            deliver()
        except (NotInChannel, PostFailed) as why:
            _log.warning("slack_not_said", said=reason, why=str(why))
