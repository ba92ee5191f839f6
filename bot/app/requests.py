"""What can be asked of the bot: the durable requests between the ear and the worker."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

import msgspec

from bot.model.incident import Place
from bot.remedy.plan import Actor


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


class PressKind(StrEnum):
    """What a button, a modal or a command of repair asks for."""

    CHOOSE = "choose"
    APPROVE = "approve"
    DENY = "deny"
    BREAK_GLASS = "break-glass"
    REPORT = "report"
    RESOLVE = "resolve"
    """Says what became of an unknown step."""
    ABORT = "abort"
    UNDO = "undo"
    """Takes a temporary change back, by a plan of its own."""
    TAKE = "take"
    FREEZE = "freeze"
    UNFREEZE = "unfreeze"
    SILENCE = "silence"
    OPEN = "open"
    """The list of open incidents."""
    UNKNOWN = "unknown"
    """A button or a form that is none of the bot's: only ever refused."""
    POSTMORTEM = "postmortem"


class Press(msgspec.Struct, frozen=True, kw_only=True, tag="press"):
    """A person pressed a button of a plan, sent its modal, or gave a command of repair.

    Everything that a button carries is untrusted until it agrees with the plan: ids and the shown digest, never
    parameters.

    Attributes:
        id: names this press for ever; the op id of what it changes, so that a redelivered one changes nothing.
        actor: who pressed, as the front verified it.
        place: channel and thread of the pressed message, where a refusal is told.
        at: when, by decision time.
        plan: id of the plan (`CHOOSE`, `APPROVE`, `DENY`, `BREAK_GLASS`, `REPORT`, `RESOLVE`, `ABORT`, `UNDO`).
        step: id of the step.
        digest: what the button showed of the step; whole, or at least its first 32 digits.
        option: id of the chosen option (`CHOOSE`); what became of the step, `happened` or `did-not` (`RESOLVE`).
        reason: typed by the person (`BREAK_GLASS`, `RESOLVE`, `ABORT`, `DENY`, `FREEZE`).
        text: what was pasted (`REPORT`).
        incident: id of the incident (`TAKE`, `SILENCE`, `POSTMORTEM`).
        cluster: whose bot made the button; empty where the front has no such word.
        response_url: answers a command for the eyes of who gave it.
        message: the `ts` of the pressed message, which must be one that was posted for this plan; empty where the
            front has no messages.
        action: Slack's `action_ts` of the button; empty for a command, and where the front has none.
        refused: why the front itself refuses it, a key of the catalogue with `values`; it is noted and told.
    """

    id: str
    kind: PressKind
    actor: Actor
    place: Place
    at: datetime
    plan: str = ""
    step: str = ""
    digest: str = ""
    option: str = ""
    reason: str = ""
    text: str = ""
    incident: str = ""
    cluster: str = ""
    response_url: str = ""
    message: str = ""
    action: str = ""
    refused: str = ""
    values: Mapping[str, str] = {}


class Notice(msgspec.Struct, frozen=True, kw_only=True, tag="notice"):
    """Nobody asked for anything, but who may approve has changed, or who reads: for the audit, and for people.

    Attributes:
        id: names it for ever: one that comes twice is written down once.
        entry: type of the audit's entry.
        reason: what happened, a key of the catalogue with `values`.
        call: who is called beside the approvers.
        place: where it is told while no incident is open; without a channel nowhere.
        again: a channel where nothing could be said for a while: what is due there is told.
    """

    id: str
    entry: str
    reason: str
    values: Mapping[str, str]
    at: datetime
    call: tuple[str, ...] = ()
    place: Place = Place("")
    again: str = ""


#: Everything the queue carries; the tag says which.
Request = Ask | AlertMessage | AlertGroup | Paste | Press | Notice
