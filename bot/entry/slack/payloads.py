"""Slack's payloads as values, with only the fields that the ear uses.

Shapes: https://docs.slack.dev/reference/events/message, https://docs.slack.dev/reference/events/app_mention,
https://docs.slack.dev/interactivity/implementing-slash-commands, and for the message shortcut
https://docs.slack.dev/reference/interaction-payloads/shortcuts-interaction-payload, for buttons
https://docs.slack.dev/reference/interaction-payloads/block_actions-payload, and for forms
https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload, and for user groups
https://docs.slack.dev/reference/events/subteam_members_changed, https://docs.slack.dev/reference/events/subteam_updated,
and for channels https://docs.slack.dev/reference/events/channel_shared.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar

import msgspec

T = TypeVar("T")


class DroppedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a message. `size` is in bytes."""

    name: str | None = None
    mimetype: str | None = None
    mode: str | None = None
    size: int | None = None
    url_private: str | None = None
    is_external: bool | None = None


class BotProfile(msgspec.Struct, frozen=True):
    """Of a bot's profile only the id: Slack sets it, while name and picture are free."""

    app_id: str | None = None


class MessageEvent(msgspec.Struct, frozen=True, kw_only=True):
    """A `message` or an `app_mention`: Slack sends a mention as both, alike but for `type`."""

    type: str
    channel: str
    ts: str
    user: str | None = None
    text: str | None = None
    subtype: str | None = None
    hidden: bool | None = None
    bot_id: str | None = None
    app_id: str | None = None
    bot_profile: BotProfile | None = None
    team: str | None = None
    user_team: str | None = None
    thread_ts: str | None = None
    files: tuple[DroppedFile, ...] | None = None

    @property
    def app(self) -> str:
        """The id of the app that wrote it; empty for people."""
        return self.app_id or (self.bot_profile.app_id if self.bot_profile else None) or ""

    @property
    def writer_team(self) -> str:
        """The workspace of who wrote it, where Slack names one (an organisation's id, `E...`, is none)."""
        team = self.user_team or self.team or ""
        return team if team.startswith("T") else ""

    @property
    def at(self) -> datetime:
        """When it was written: `ts` counts seconds since 1970."""
        return datetime.fromtimestamp(float(self.ts), UTC)

    @property
    def is_reply(self) -> bool:
        """Whether it stands in a thread and did not begin it."""
        return bool(self.thread_ts) and self.thread_ts != self.ts


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """The envelope of an event. `raw` is the message as it came, for its blocks and attachments."""

    event_id: str
    event: MessageEvent
    team_id: str | None = None
    is_ext_shared_channel: bool | None = None
    raw: Mapping[str, Any] = {}


class SlashCommand(msgspec.Struct, frozen=True, kw_only=True):
    """A slash command; the text may be empty."""

    command: str
    channel_id: str
    user_id: str
    team_id: str
    trigger_id: str
    response_url: str
    channel_name: str = ""
    text: str = ""


class _Id(msgspec.Struct, frozen=True):
    id: str
    team_id: str | None = None


class _Marked(msgspec.Struct, frozen=True):
    ts: str
    thread_ts: str | None = None


class Shortcut(msgspec.Struct, frozen=True, kw_only=True):
    """A message shortcut: who pressed it on which message. `raw` is that message as it came."""

    trigger_id: str
    response_url: str
    channel: _Id
    user: _Id
    team: _Id | None
    message: _Marked
    raw: Mapping[str, Any] = {}


class _Container(msgspec.Struct, frozen=True):
    type: str
    message_ts: str = ""
    channel_id: str = ""
    is_ephemeral: bool = False


class _Pressed(msgspec.Struct, frozen=True):
    action_id: str
    action_ts: str
    value: str = ""


class _Shown(msgspec.Struct, frozen=True):
    ts: str = ""
    thread_ts: str | None = None
    bot_id: str | None = None
    app_id: str | None = None


class _ByPerson(msgspec.Struct, frozen=True, kw_only=True):
    api_app_id: str
    user: _Id
    team: _Id | None = None

    @property
    def user_team(self) -> str:
        """The workspace of the person, as far as Slack says it."""
        return self.user.team_id or (self.team.id if self.team else "")


class Click(_ByPerson, frozen=True, kw_only=True):
    """A button that was pressed: by whom, in which message of which app."""

    trigger_id: str
    container: _Container
    actions: tuple[_Pressed, ...]
    channel: _Id | None = None
    message: _Shown | None = None
    response_url: str = ""


class _Typed(msgspec.Struct, frozen=True):
    value: str | None = None


class _State(msgspec.Struct, frozen=True):
    values: Mapping[str, Mapping[str, _Typed]] = {}


class _View(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    callback_id: str
    private_metadata: str = ""
    state: _State = _State()


class Submission(_ByPerson, frozen=True, kw_only=True):
    """A form that was sent."""

    view: _View


class _Members(msgspec.Struct, frozen=True, kw_only=True):
    subteam_id: str
    added_users: tuple[str, ...] = ()
    removed_users: tuple[str, ...] = ()


class MembersChanged(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody came into a user group or left it; who did it Slack does not say."""

    event_id: str
    team_id: str
    event: _Members


class _Group(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    date_delete: int = 0
    deleted_by: str | None = None


class _Updated(msgspec.Struct, frozen=True, kw_only=True):
    subteam: _Group


class GroupUpdated(msgspec.Struct, frozen=True, kw_only=True):
    """A user group is another one now: renamed, with other members, or disabled since `date_delete`."""

    event_id: str
    team_id: str
    event: _Updated


class _Sharing(msgspec.Struct, frozen=True, kw_only=True):
    type: Literal["channel_shared", "channel_unshared"]
    channel: str
    connected_team_id: str = ""
    previously_connected_team_id: str = ""
    is_ext_shared: bool = False


class SharingChanged(msgspec.Struct, frozen=True, kw_only=True):
    """Another organisation has joined a channel or left it.

    `is_ext_shared` is said of one that was left: whether others are still there.
    """

    event_id: str
    team_id: str
    event: _Sharing


def read(body: Mapping[str, Any], kind: type[T]) -> T:
    """A body that Slack sent, as one of these values; unknown fields are left out.

    Raises:
        msgspec.ValidationError: it has not that shape; the text names the field, not its content.
    """
    return msgspec.convert(dict(body), kind)


def event_of(body: Mapping[str, Any]) -> Event:
    """Read an event's body.

    Raises:
        msgspec.ValidationError: it has not the shape of a message; the text names the field, not its content.
    """
    return msgspec.structs.replace(read(body, Event), raw=body["event"])


def shortcut_of(body: Mapping[str, Any]) -> Shortcut:
    """Read a message shortcut's body.

    Raises:
        msgspec.ValidationError: it has not the shape of a message shortcut.
    """
    return msgspec.structs.replace(read(body, Shortcut), raw=body["message"])
