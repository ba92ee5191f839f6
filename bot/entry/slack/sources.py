"""Who pressed what, where: from what Slack sends of a button or a form to a press as the use cases know it."""

from __future__ import annotations

from datetime import datetime

import msgspec

from bot.app.requests import Press, PressKind
from bot.entry.slack.payloads import Click
from bot.entry.slack.sorting import Identity
from bot.model.cards import ButtonKind, NoToken, Token
from bot.model.incident import Place
from bot.remedy.plan import Actor
from bot.render.slack.plan import ACTION

_K = ButtonKind
#: Buttons about an incident; all others are about a plan.
_OF_INCIDENT = frozenset({_K.TAKE, _K.SILENCE, _K.POSTMORTEM})
_RESOLVES = frozenset({_K.HAPPENED, _K.DID_NOT})


class Kept(msgspec.Struct, frozen=True):
    """What a form brings back: where its button stood, and what the button carried."""

    channel: str
    thread: str
    message: str
    value: str
    action: str = ""


class Source(msgspec.Struct, frozen=True, kw_only=True):
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


def kind_of(action: str) -> ButtonKind | None:
    """What an action id or a callback id of ours asks for."""
    prefix, _, rest = action.partition(":")
    name = rest.partition(":")[0]
    return ButtonKind(name) if prefix == ACTION and name in frozenset(ButtonKind) else None


def clicked(click: Click) -> Source | None:
    """Who pressed which button, None where it is no button of a message of ours."""
    if len(click.actions) != 1 or click.container.type != "message" or click.container.is_ephemeral:
        return None
    action, channel, ts = click.actions[0], click.container.channel_id, click.container.message_ts
    kind = kind_of(action.action_id)
    if kind is None or not channel or not ts:
        return None
    return Source(
        name=name_of(click),
        kind=kind,
        user=click.user.id,
        team=click.user_team,
        app=click.api_app_id,
        place=place_of(click),
        message=ts,
        value=action.value,
        action=action.action_ts,
    )


def name_of(click: Click) -> str:
    """A second press of the same button is another one; Slack's second delivery of the same press is not."""
    team, where = click.team.id if click.team else "", click.container
    pressed = [part for one in click.actions for part in (one.action_id, click.user.id, one.action_ts)]
    return ":".join((team, where.channel_id, where.message_ts, *pressed))


def place_of(click: Click) -> Place:
    """The thread of the pressed message."""
    where = click.container
    return Place(where.channel_id, (click.message.thread_ts if click.message else None) or where.message_ts)


def is_ours(click: Click, identity: Identity) -> bool:
    """Whether the message is of this very bot: Slack says so, our own ids stand in nothing that the button carries."""
    shown = click.message
    if shown is None:
        return False
    return shown.app_id in (None, identity.app_id) and shown.bot_id in (None, identity.bot_id)


def kept_of(metadata: str) -> Kept | None:
    """What a form of ours brings back; None of one that is none of ours."""
    try:
        return msgspec.json.decode(metadata.encode(), type=Kept)
    except msgspec.DecodeError:
        return None


def press_of(source: Source, team: str, at: datetime, text: str) -> Press:
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
