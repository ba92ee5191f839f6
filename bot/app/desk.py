"""Where every accepted request ends up: the right use case for it, in the worker's thread.

Handling may stop anywhere and begin anew, here or in another replica: each use case says what makes that harmless.
"""

from __future__ import annotations

from collections.abc import Callable

import structlog

from bot.app.afterwards import Repair
from bot.app.alerts import firing_id, named_by, names_in, tells_an_end
from bot.app.asking import Questions
from bot.app.firing import Alarms, Firing
from bot.app.pasting import Pastes
from bot.app.ports import (
    Clock,
    Incidents,
    Investigator,
    NotInChannel,
    PasteStore,
    Poster,
    Presenter,
    Recogniser,
    SharedOutside,
    Undeliverable,
)
from bot.app.ports.writer import Summariser
from bot.app.requests import AlertGroup, AlertMessage, Ask, Notice, Paste, Press, Request
from bot.app.threads import Threads, without_llm
from bot.model.refs import Ref
from bot.remedy.plan import Actor

_log = structlog.get_logger(__name__)


class Desk:
    """All use cases of one cluster.

    Args:
        cluster: the cluster's name.
        clock: decision time, which is wall time.
        incidents: the incidents that all replicas share.
        investigator: answers about the cluster.
        pastes: pasted texts whose node is known; the investigator reads them.
        poster: where messages go.
        presenter_of: the presenter of a channel's language.
        recogniser: tells texts of hosts from the rest.
        summariser_of: puts a diagnosis into prose in a channel's language; None where there is no LLM.
        waiting: pasted texts whose node is not known yet; a store of its own.
        repair: plans and presses; None where there is no repair.
        actor_of: the actor that a Slack user of this workspace is.
    """

    def __init__(
        self,
        *,
        cluster: str,
        clock: Clock,
        incidents: Incidents,
        investigator: Investigator,
        pastes: PasteStore,
        poster: Poster,
        presenter_of: Callable[[str], Presenter],
        recogniser: Recogniser,
        waiting: PasteStore,
        summariser_of: Callable[[str], Summariser | None] = without_llm,
        repair: Repair | None = None,
        actor_of: Callable[[str], Actor] = Actor,
    ) -> None:
        threads = Threads(
            incidents=incidents, poster=poster, presenter_of=presenter_of, clock=clock, summariser_of=summariser_of
        )
        self._threads = threads
        self._investigator = investigator
        self._repair = repair
        self._alarms = Alarms(cluster=cluster, investigator=investigator, threads=threads, repair=repair)
        self._questions = Questions(
            cluster=cluster, investigator=investigator, threads=threads, repair=repair, actor_of=actor_of
        )
        self._pastes = Pastes(
            cluster=cluster,
            investigator=investigator,
            recogniser=recogniser,
            pastes=pastes,
            waiting=waiting,
            threads=threads,
            repair=repair,
        )

    def handle(self, request: Request) -> None:
        """Do what was asked. What it raises means: bring the request again.

        Not being in a channel is no such thing, nor is a message that can never be delivered: neither passes by itself.
        """
        try:
            match request:
                case Ask():
                    self._questions.answer(request)
                case AlertMessage():
                    self._alert_message(request)
                case AlertGroup():
                    self._alert_group(request)
                case Paste():
                    self._pastes.take(request)
                case Press():
                    self._press(request)
                case Notice():
                    self._notice(request)
        except NotInChannel as why:
            _log.error("not_in_channel", why=str(why), channel=request.place.channel, request=request.id)
            # In a shared channel it is told when the sharing ends.
            if not isinstance(why, SharedOutside):
                self._take_off(request)
        except Undeliverable as why:
            _log.error("not_delivered", why=str(why), request=request.id)
            self._take_off(request)

    def give_up(self, request: Request) -> None:
        """Tell whoever waits that this request failed again and again and will not be tried any more."""
        self._take_off(request)
        if isinstance(request, Ask):
            self._questions.reply(request, "desk-gave-up", request=request.id)
        elif request.place.channel:
            self._threads.say(request.place, "desk-gave-up", request=request.id)

    def _take_off(self, request: Request) -> None:
        """Of alerts whose end nobody is told, the incident must not go on firing for ever."""
        if isinstance(request, AlertGroup):
            self._alarms.take_off(_source(request))

    def _notice(self, notice: Notice) -> None:
        if self._repair is not None:
            self._repair.notice(notice)
        if notice.again:
            self._alarms.tell_again(notice.again)

    def _press(self, press: Press) -> None:
        if self._repair is not None:
            self._repair.handle(press)
        else:
            self._threads.say(press.place, "repair-not-here")

    def _alert_message(self, alert: AlertMessage) -> None:
        if tells_an_end(alert.text):
            # Such a message does not say which earlier one it ends; its app edits or groups as it likes.
            _log.info("alert_tells_an_end", request=alert.id)
            return
        source = f"message:{alert.place.channel}:{alert.place.thread}"
        self._alarms.fire(
            Firing(
                request_id=alert.id,
                source=source,
                alerts=(source,),
                place=alert.place,
                scope=self._named_in(alert.text),
            )
        )

    def _alert_group(self, group: AlertGroup) -> None:
        source = _source(group)
        over = tuple(firing_id(one) for one in group.alerts if not one.firing)
        firing = [one for one in group.alerts if one.firing]
        self._alarms.note_over(over)
        if not firing:
            self._alarms.end(source)
        else:
            named = named_by(firing)
            texts = (*named.guesses, *(text for one in firing for text in one.annotations.values()))
            self._alarms.fire(
                Firing(
                    request_id=group.id,
                    source=source,
                    alerts=tuple(dict.fromkeys(firing_id(one) for one in firing)),
                    place=group.place,
                    scope=named.refs or self._named_in(" ".join(texts)),
                    truncated=group.truncated,
                    labels={firing_id(one).partition("@")[0]: one.labels for one in firing},
                )
            )

    def _named_in(self, text: str) -> tuple[Ref, ...]:
        """The live objects whose names stand in a text that nobody wrote for us."""
        found = self._investigator.resolve(" ".join(names_in(text)))
        return tuple(dict.fromkeys((*found.refs, *found.candidates)))


def _source(group: AlertGroup) -> str:
    """One group may go to two channels, which are two conversations about it."""
    return f"group:{group.place.channel}:{group.group_key}"
