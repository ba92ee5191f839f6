"""Cards of a repair in words: what people read before they press, and the buttons that they press.

Texts are untrusted; each renderer makes them harmless in its own way. Nothing here knows a plan's rules.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from enum import StrEnum
from typing import Self

import msgspec

_SEPARATOR = "|"
_DIGEST = 32
_CLUSTER = 12


class ButtonKind(StrEnum):
    """What a button asks for. All but `details` become a request; the value stands in Slack's action id."""

    CHOOSE = "choose"
    APPROVE = "approve"
    DENY = "deny"
    DETAILS = "details"
    BREAK_GLASS = "break-glass"
    REPORT = "report"
    HAPPENED = "happened"
    DID_NOT = "did-not"
    UNDO = "undo"
    TAKE = "take"
    SILENCE = "silence"
    POSTMORTEM = "postmortem"


class NoToken(ValueError):
    """The value of a button is none that we wrote."""


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """What a button carries: ids and what was shown, never a parameter.

    Attributes:
        cluster: hash of the cluster's name, so that a bot knows the button of another cluster's bot (`cluster_mark`).
        plan: id of the plan, or of the incident.
        part: id of the step or option.
        digest: first 32 characters of what was shown.
    """

    cluster: str
    plan: str
    part: str = ""
    digest: str = ""

    def written(self) -> str:
        """The button's value."""
        parts = (self.plan, self.part, self.digest[:_DIGEST], self.cluster)
        if any(_SEPARATOR in one for one in parts):
            raise NoToken(f"an id with {_SEPARATOR!r}")
        return _SEPARATOR.join(parts)

    @classmethod
    def read(cls, value: str) -> Self:
        """Read a button's value.

        Raises:
            NoToken: it has not four parts, or one of them is too long.
        """
        parts = value.split(_SEPARATOR)
        if len(parts) != 4 or any(len(one) > 64 or not one.isprintable() for one in parts) or not parts[0]:
            raise NoToken(f"{len(parts)} parts")
        plan, part, digest, cluster = parts
        return cls(cluster=cluster, plan=plan, part=part, digest=digest)


def cluster_mark(name: str) -> str:
    """Twelve characters that tell clusters apart without naming them."""
    return hashlib.sha256(name.encode()).hexdigest()[:_CLUSTER]


class Confirm(msgspec.Struct, frozen=True):
    """A second question before a press; a convenience of the reader's client, never a guard."""

    title: str
    text: str
    yes: str
    no: str


class CardButton(msgspec.Struct, frozen=True, kw_only=True):
    """One button; its label names its object, so that no two are alike."""

    kind: ButtonKind
    label: str
    token: Token
    style: str = ""
    """`primary`, `danger`, or empty."""
    confirm: Confirm | None = None


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A paragraph: a heading, a text, people (`slack:T0TEAM/U0ONCALL`), a moment, lines to copy."""

    heading: str = ""
    text: str = ""
    people: tuple[str, ...] = ()
    moment: datetime | None = None
    """Shown as the reader's own time, with how far away it is."""
    lines: tuple[str, ...] = ()
    """Commands or a difference, each line as it stands."""
    small: bool = False


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """One message of a repair.

    Attributes:
        state: in one word (`APPROVE`, `WAITING FOR`).
        cluster: its name.
        about: the object.
        urgent: what a lock screen says first: the hazard, or what is asked.
        title: the headline.
        call: who is called, once: people, or a group (`slack:group/S0GROUP`).
        parts: the paragraphs, most important first.
        buttons: what can be pressed; none where nothing can be done here.
    """

    state: str
    cluster: str
    about: str
    urgent: str
    title: str
    call: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    buttons: tuple[CardButton, ...] = ()
