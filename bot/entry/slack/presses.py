"""Buttons and forms of a repair: checked as far as Slack's own word goes, then put into the queue as presses.

Nothing is decided here. What is refused already is queued as such, because every refusal is noted in the audit and
told in the thread. Forms are the one exception to queueing: they open within the three seconds that a trigger lives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from bot.entry.slack.voice import Voice
from bot.model.cards import ButtonKind, NoToken, Token, cluster_mark
from bot.model.incident import Incident, Place
from bot.remedy.plan import Actor, Plan
from bot.render.slack.modals import INPUT, MAX_TYPED, TYPED
from bot.render.slack.plan import ACTION

_log = structlog.get_logger(__name__)

_K = ButtonKind
#: Buttons that open a form first, and those of them that say nothing when they are sent empty.
FORMS = frozenset({_K.DENY, _K.BREAK_GLASS, _K.REPORT, _K.HAPPENED, _K.DID_NOT})
_NEEDS_TEXT = FORMS - {_K.DENY, _K.REPORT}
#: Buttons about an incident; all others are about a plan.
_OF_INCIDENT = frozenset({_K.TAKE, _K.SILENCE, _K.POSTMORTEM})
_RESOLVES = frozenset({_K.HAPPENED, _K.DID_NOT})


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


class Kept(msgspec.Struct, frozen=True):
    """What a form brings back: where its button stood, and what the button carried."""

    channel: str
    thread: str
    message: str
    value: str
    action: str = ""


class _Source(msgspec.Struct, frozen=True, kw_only=True):
    """Who pressed what, where; `name` tells this press from every other one for ever."""

    name: str
    kind: ButtonKind
    user: str
    team: str
    app: str
    place: Place
    message: str
    value: str
    action: str


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
        source = _clicked(click)
        if source is None:
            self._take_unknown(_name(click), click.user.id, _place(click), click.response_url)
            return
        refused = self._refused(source, is_ours=_is_ours(click, self._identity))
        if source.kind is ButtonKind.DETAILS and refused is not None:
            self._voice.respond(click.response_url, source.place.channel, refused.reason, refused.values)
        elif refused is None and (source.kind in FORMS or source.kind is ButtonKind.DETAILS):
            self._open(click, source)
        else:
            self._take(source, refused, self._clock.now())

    def submitted(self, sent: Submission) -> Mapping[str, str]:
        """Take a sent form; what is wrong with it by the id of its block, where it then stays open."""
        kind, kept = kind_of(sent.view.callback_id), _kept(sent.view.private_metadata)
        if kind is None or kind not in FORMS or kept is None:
            self._take_unknown(f"view:{sent.view.id}", sent.user.id, Place(""))
            return self._wrong("", Reason.BUTTON_TAMPERED)
        typed = sent.view.state.values.get(TYPED, {}).get(INPUT)
        text = (typed.value if typed else "") or ""
        if kind in _NEEDS_TEXT and not text.strip():
            return self._wrong(kept.channel, "form-empty")
        if len(text) > MAX_TYPED:
            return self._wrong(kept.channel, "form-too-long", most=str(MAX_TYPED))
        source = _Source(
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
        self._take(source, self._refused(source), self._clock.now(), text)
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

    def _refused(self, source: _Source, *, is_ours: bool = True) -> Refused | None:
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

    def _open(self, click: Click, source: _Source) -> None:
        """Open the form or the details. What names no plan or no step of it is queued, and refused as what it is."""
        token = Token.read(source.value)
        found = self._shown.find(token.plan)
        if found is None or all(one.action.step != token.part for one in found[0].steps):
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

    def _take(self, source: _Source, refused: Refused | None, at: datetime, text: str = "") -> None:
        self._enqueue(_press(source, self._identity.team_id, at, text), refused)

    def _enqueue(self, press: Press, refused: Refused | None) -> None:
        if refused is None:
            press = msgspec.structs.replace(press, cluster=self._cluster)
        else:
            _log.info("slack_press_refused", reason=refused.reason.value, who=press.actor.id, place=press.place.channel)
            press = msgspec.structs.replace(press, refused=refused.reason.value, values=refused.values)
        self._queue.enqueue(press, dedupe=(press.id,))


def kind_of(action: str) -> ButtonKind | None:
    """What an action id or a callback id of ours asks for."""
    prefix, _, rest = action.partition(":")
    name = rest.partition(":")[0]
    return ButtonKind(name) if prefix == ACTION and name in frozenset(ButtonKind) else None


def _clicked(click: Click) -> _Source | None:
    """Who pressed which button, None where it is no button of a message of ours."""
    if len(click.actions) != 1 or click.container.type != "message" or click.container.is_ephemeral:
        return None
    action, channel, ts = click.actions[0], click.container.channel_id, click.container.message_ts
    kind = kind_of(action.action_id)
    if kind is None or not channel or not ts:
        return None
    return _Source(
        name=_name(click),
        kind=kind,
        user=click.user.id,
        team=click.user_team,
        app=click.api_app_id,
        place=_place(click),
        message=ts,
        value=action.value,
        action=action.action_ts,
    )


def _name(click: Click) -> str:
    """A second press of the same button is another one; Slack's second delivery of the same press is not."""
    team, where = click.team.id if click.team else "", click.container
    pressed = [part for one in click.actions for part in (one.action_id, click.user.id, one.action_ts)]
    return ":".join((team, where.channel_id, where.message_ts, *pressed))


def _place(click: Click) -> Place:
    """The thread of the pressed message."""
    where = click.container
    return Place(where.channel_id, (click.message.thread_ts if click.message else None) or where.message_ts)


def _is_ours(click: Click, identity: Identity) -> bool:
    """Whether the message is of this very bot: Slack says so, our own ids stand in nothing that the button carries."""
    shown = click.message
    if shown is None:
        return False
    return shown.app_id in (None, identity.app_id) and shown.bot_id in (None, identity.bot_id)


def _kept(metadata: str) -> Kept | None:
    try:
        return msgspec.json.decode(metadata.encode(), type=Kept)
    except msgspec.DecodeError:
        return None


def _press(source: _Source, team: str, at: datetime, text: str) -> Press:
    """The press as the use cases know it. Ids of a button that cannot be read are left out."""
    try:
        token = Token.read(source.value)
    except NoToken:
        token = Token(cluster="", plan="")
    kind, about_incident = source.kind, source.kind in _OF_INCIDENT
    return Press(
        id=f"press:{source.name}",
        kind=PressKind.RESOLVE if kind in _RESOLVES else PressKind(kind.value),
        actor=Actor(f"slack:{team}/{source.user}"),
        place=source.place,
        at=at,
        plan="" if about_incident else token.plan,
        incident=token.plan if about_incident else "",
        step="" if about_incident or kind is _K.CHOOSE else token.part,
        option=token.part if kind is _K.CHOOSE else kind.value if kind in _RESOLVES else "",
        digest=token.digest,
        message=source.message,
        action=source.action,
        text=text if kind is _K.REPORT else "",
        reason="" if kind is _K.REPORT else text,
    )
