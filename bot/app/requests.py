"""What can be asked of the bot: the durable requests between the ear and the worker."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec

from bot.model.incident import Place


class Alert(msgspec.Struct, frozen=True, kw_only=True):
    """One alert, as Alertmanager tells it. Labels and annotations are untrusted text."""

    firing: bool
    labels: Mapping[str, str]
    annotations: Mapping[str, str] = {}
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    fingerprint: str = ""


class Ask(msgspec.Struct, frozen=True, kw_only=True, tag="ask"):
    """A person asked: a slash command, a mention, a message shortcut.

    `words` are theirs; `response_url` answers where the bot may not post.
    """

    id: str
    words: str
    place: Place
    user: str
    response_url: str = ""


class AlertMessage(msgspec.Struct, frozen=True, kw_only=True, tag="alert-message"):
    """An allow-listed alert app posted a message; it is answered in that message's thread."""

    id: str
    text: str
    place: Place


class AlertGroup(msgspec.Struct, frozen=True, kw_only=True, tag="alert-group"):
    """Alertmanager sent a group to the webhook; it gets a thread of its own in the channel.

    `truncated` is how many more alerts the group has, which Alertmanager did not send.
    """

    id: str
    group_key: str
    alerts: tuple[Alert, ...]
    place: Place
    truncated: int = 0


class Paste(msgspec.Struct, frozen=True, kw_only=True, tag="paste"):
    """A person put text of a host into a thread of the bot's.

    `addressed` says that it was meant for the bot (a mention, a file, code), so that it is answered in any case.
    """

    id: str
    text: str
    place: Place
    user: str
    at: datetime
    addressed: bool = False


#: Everything the queue carries; the tag says which.
Request = Ask | AlertMessage | AlertGroup | Paste
