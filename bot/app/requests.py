"""What can be asked of the bot: the durable requests between the ear and the worker."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

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
    """A person put text of a host into a thread of the bot's."""

    id: str
    text: str
    place: Place
    user: str
    at: datetime


class PressKind(StrEnum):
    """What a button of a card asks for."""

    CHOOSE = "choose"
    APPROVE = "approve"
    DENY = "deny"
    BREAK_GLASS = "break-glass"
    DONE = "done"
    """A person's step is done; `text` is the pasted output, empty where there is none."""
    HAPPENED = "happened"
    DID_NOT = "did-not"
    TAKE = "take"
    """The presser becomes the incident's owner; `plan` is the incident's id."""
    POST_MORTEM = "post-mortem"


class Press(msgspec.Struct, frozen=True, kw_only=True, tag="press"):
    """A person pressed a button of a card, or sent the form that it opened.

    The ids come from the button and prove nothing: the plan is read again, and `message` must be one that was posted
    for it.

    Attributes:
        actor: `slack:TEAM/USER`.
        place: the channel and the thread that the card stands in.
        message: the `ts` of the card.
        plan: id of the plan.
        part: id of the step, or of the option where people choose.
        digest: first 32 characters of the digest that the card showed.
        nonce: of the action that the card showed.
        text: what was typed: a reason, or the pasted output of a command.
        refused: why the ear refuses it already (a key of the catalogue, with `values`); it is noted and told.
    """

    id: str
    kind: PressKind
    actor: str
    at: datetime
    place: Place
    message: str
    plan: str = ""
    part: str = ""
    digest: str = ""
    nonce: str = ""
    text: str = ""
    refused: str = ""
    values: Mapping[str, str] = {}


class OrderKind(StrEnum):
    """What a person may order beside asking."""

    OPEN = "open"
    """List the open incidents."""
    FREEZE = "freeze"
    UNFREEZE = "unfreeze"


class Order(msgspec.Struct, frozen=True, kw_only=True, tag="order"):
    """A person gave an order; `text` is the reason of a freeze. `response_url` answers where the bot may not post."""

    id: str
    kind: OrderKind
    actor: str
    at: datetime
    place: Place
    text: str = ""
    response_url: str = ""


#: Everything the queue carries; the tag says which.
Request = Ask | AlertMessage | AlertGroup | Paste | Press | Order
