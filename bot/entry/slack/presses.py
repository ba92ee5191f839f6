"""Buttons and forms of a repair: checked as far as Slack's own word goes, then put into the queue as presses.

Nothing is decided here. What is refused already is queued as such, because every refusal is noted in the audit and
told in the thread. Forms are the one exception to queueing: they open within the three seconds that a trigger lives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

import msgspec
import structlog

from bot.app.ports import Clock, Queue
from bot.app.ports.people import CannotOpen, Views
from bot.app.requests import Press, PressKind
from bot.entry.slack.guard import Asker, Guard, Reason, Refused
from bot.entry.slack.payloads import Click, Submission
from bot.entry.slack.sorting import Identity
from bot.entry.slack.sources import Kept, Source, clicked, is_ours, kept_of, kind_of, name_of, place_of, press_of
from bot.entry.slack.voice import Voice
from bot.model.cards import ButtonKind, NoToken, Token, cluster_mark
from bot.model.incident import Incident, Place
from bot.remedy.plan import Actor, Plan
from bot.render.slack.modals import INPUT, MAX_TYPED, TYPED

_log = structlog.get_logger(__name__)

_K = ButtonKind
#: Buttons that open a form first, and those of them that say nothing when they are sent empty.
FORMS = frozenset({_K.DENY, _K.BREAK_GLASS, _K.REPORT, _K.HAPPENED, _K.DID_NOT})
_NEEDS_TEXT = FORMS - {_K.DENY, _K.REPORT}


class Forms(Protocol):
    """The views of one language (`entry.cards.Cards`)."""

    def details(self, plan: Plan, step_id: str, incident: Incident) -> dict[str, Any]:
        """Everything of a step, to read."""
        ...

    def form(self, kind: ButtonKind, plan: Plan, step_id: str, metadata: str) -> dict[str, Any]:
        """A form with one input; `metadata` comes back with it."""
        ...


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """What forms are filled from: `find` gives a plan with its incident, and raises where the store is out of reach."""

    find: Callable[[str], tuple[Plan, Incident] | None]
    forms_of: Callable[[str], Forms]
    views: Views


def take_press(queue: Queue, press: Press, dedupe: Sequence[str]) -> None:
    """Put a press into the queue. One that came before counts for nothing, and once that is noted and told.

    Slack delivers a request again where our acknowledgement got lost, and whoever caught a signed one could send it
    again for five minutes (https://docs.slack.dev/authentication/verifying-requests-from-slack).

    Raises:
        QueueUnavailable: it is not known to be kept.
    """
    if not queue.enqueue(press, dedupe=dedupe):
        _log.warning("slack_press_came_again", press=press.id, who=press.actor.id)
        again = msgspec.structs.replace(press, id=f"{press.id}/again", refused=Reason.CAME_AGAIN.value, values={})
        queue.enqueue(again, dedupe=(again.id,))


class Presses:
    """Takes pressed buttons and sent forms.

    Args:
        cluster: the cluster's name.
        identity: who the bot is.
        queue: takes the presses.
        guard: knows the workspace.
        voice: says what only who pressed has to hear.
        shown: for forms.
        clock: decision time.
    """

    def __init__(
        self,
        *,
        cluster: str,
        identity: Identity,
        queue: Queue,
        guard: Guard,
        voice: Voice,
        shown: Shown,
        clock: Clock,
    ) -> None:
        self._cluster = cluster
        self._identity = identity
        self._queue = queue
        self._guard = guard
        self._voice = voice
        self._shown = shown
        self._clock = clock

    def click(self, click: Click) -> None:
        """Take a pressed button: into the queue, or open the form that it asks for."""
        source = clicked(click)
        if source is None:
            self._take_unknown(name_of(click), click.user.id, place_of(click), click.response_url)
            return
        refused = self._refused(source, is_ours=is_ours(click, self._identity))
        # Where strangers read, a refusal does not stand in the thread.
        if refused is not None and (source.kind is ButtonKind.DETAILS or refused.reason is Reason.SHARED_CHANNEL):
            self._voice.respond(click.response_url, source.place.channel, refused.reason, refused.values)
        if refused is None and (source.kind in FORMS or source.kind is ButtonKind.DETAILS):
            self._open(click, source)
        elif source.kind is not ButtonKind.DETAILS:
            self._take(source, refused, self._clock.now())

    def submitted(self, sent: Submission) -> Mapping[str, str]:
        """Take a sent form; what is wrong with it by the id of its block, where it then stays open."""
        kind, kept = kind_of(sent.view.callback_id), kept_of(sent.view.private_metadata)
        if kind is None or kind not in FORMS or kept is None:
            self._take_unknown(f"view:{sent.view.id}", sent.user.id, Place(""))
            return self._wrong("", Reason.BUTTON_TAMPERED)
        typed = sent.view.state.values.get(TYPED, {}).get(INPUT)
        text = (typed.value if typed else "") or ""
        if kind in _NEEDS_TEXT and not text.strip():
            return self._wrong(kept.channel, "form-empty")
        if len(text) > MAX_TYPED:
            return self._wrong(kept.channel, "form-too-long", most=str(MAX_TYPED))
        source = Source(
            name=f"view:{sent.view.id}",
            kind=kind,
            user=sent.user.id,
            team=sent.user_team,
            app=sent.api_app_id,
            place=Place(kept.channel, kept.thread),
            message=kept.message,
            value=kept.value,
            action=kept.action,
        )
        refused = self._refused(source)
        self._take(source, refused, self._clock.now(), text)
        if refused is not None and refused.reason is Reason.SHARED_CHANNEL:
            return self._wrong(kept.channel, refused.reason)
        return {}

    def _take_unknown(self, name: str, user: str, place: Place, response_url: str = "") -> None:
        """Refuse what ours never held. A form names no place: who sent it reads why in the form itself."""
        press = Press(
            id=f"press:{name}",
            kind=PressKind.UNKNOWN,
            actor=Actor(f"slack:{self._identity.team_id}/{user}"),
            place=place,
            at=self._clock.now(),
            response_url="" if place.channel else response_url,
        )
        self._enqueue(press, Refused(Reason.BUTTON_TAMPERED))

    def _wrong(self, channel: str, reason: str, **values: str) -> Mapping[str, str]:
        return {TYPED: self._voice.words(channel, reason, values).text}

    def _refused(self, source: Source, *, is_ours: bool = True) -> Refused | None:
        """Why this press is refused as far as it can be told here: the button first, then the person."""
        if source.app != self._identity.app_id or not is_ours:
            return Refused(Reason.BUTTON_OTHER_APP)
        try:
            token = Token.read(source.value)
        except NoToken:
            return Refused(Reason.BUTTON_TAMPERED)
        if token.cluster != cluster_mark(self._cluster):
            return Refused(Reason.BUTTON_OTHER_CLUSTER, {"cluster": self._cluster})
        return self._guard.refusal(Asker(user=source.user, channel=source.place.channel, team=source.team))

    def _open(self, click: Click, source: Source) -> None:
        """Open the form or the details. What names no plan or no step of it is queued, and refused as what it is."""
        token = Token.read(source.value)
        found = self._shown.find(token.plan)
        if found is None or found[0].find(token.part) is None:
            if source.kind is ButtonKind.DETAILS:
                self._voice.respond(
                    click.response_url, source.place.channel, "repair-no-such-plan", {"plan": token.plan}
                )
            else:
                self._take(source, None, self._clock.now())
            return
        plan, incident = found
        forms = self._shown.forms_of(source.place.channel)
        if source.kind is ButtonKind.DETAILS:
            view = forms.details(plan, token.part, incident)
        else:
            kept = Kept(source.place.channel, source.place.thread, source.message, source.value, source.action)
            view = forms.form(source.kind, plan, token.part, msgspec.json.encode(kept).decode())
        try:
            self._shown.views.open(click.trigger_id, view)
        except CannotOpen as why:
            _log.warning("slack_view_not_opened", why=str(why))
            self._voice.respond(click.response_url, source.place.channel, "form-not-opened", {"why": str(why)})

    def _take(self, source: Source, refused: Refused | None, at: datetime, text: str = "") -> None:
        self._enqueue(press_of(source, self._identity.team_id, at, text), refused)

    def _enqueue(self, press: Press, refused: Refused | None) -> None:
        if refused is None:
            press = msgspec.structs.replace(press, cluster=self._cluster)
        else:
            _log.info("slack_press_refused", reason=refused.reason.value, who=press.actor.id, place=press.place.channel)
            press = msgspec.structs.replace(press, refused=refused.reason.value, values=refused.values)
        take_press(self._queue, press, (press.id,))
