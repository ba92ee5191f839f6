"""What a check answers: findings with evidence, and the honest "cannot tell"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

import msgspec

from bot.model.refs import Ref
from bot.model.sections import Section

_CODE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


class Code(str):
    """The stable name of something that can be found (`kubelet-swap-on`).

    Open, because operators add their own, but always lower-case words joined by hyphens.

    Raises:
        ValueError: the text is no such name.
    """

    __slots__ = ()

    def __new__(cls, text: str) -> Code:
        """Validate once, where the code is written down."""
        if not _CODE.fullmatch(text):
            raise ValueError(f"code {text!r}: lower-case words joined by hyphens are expected")
        return super().__new__(cls, text)


class Kind(StrEnum):
    """What a finding says about the cluster."""

    FAULT = "fault"
    """Something is wrong; the only kind that links into chains."""
    RULED_OUT = "ruled_out"
    """A suspect that was examined and is well."""
    PROVES_NOTHING = "proves_nothing"
    """Looks like good news, and is not."""
    ACTING = "acting"
    """Another controller or person acts on the same object."""
    DO_NOT = "do_not"
    """What must not be touched now, and why."""
    FACT = "fact"
    """A measured circumstance that the answer needs (why a VM is pinned, when the next deletion comes)."""


class Severity(StrEnum):
    """How bad a fault is. Everything above `INFO` makes the verdict `broken`."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"


class Means(StrEnum):
    """How a text reached the bot that it did not read itself."""

    PASTED = "pasted"
    FILE = "file"


class Reporter(msgspec.Struct, frozen=True):
    """The person, or the file handed over, on whose word evidence rests: the bot did not read it itself."""

    name: str
    at: datetime | None = None
    means: Means = Means.PASTED


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """One observation, quoted as it stands.

    `source` says where it was read (`kubernetes`, `event`, `journal:kubelet`, `dmesg`, `log`, `host:/proc/swaps`),
    `field` is the path inside the object or the line's place in a text, `quote` its exact value.
    """

    source: str
    object: Ref
    field: str = ""
    quote: str = ""
    first_seen: datetime | None = None
    last_seen: datetime | None = None
    reporter: Reporter | None = None


class Onset(msgspec.Struct, frozen=True):
    """Since when, and which field says so."""

    at: datetime
    source: str


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing found about one subject. Never a sentence: words live in the catalogue under `code`.

    `values` fill the blanks of the words; `refs` name related objects by role, for links and for words.
    `onset` is set only where the beginning is really known: the line of a crash loop is the newest of all.
    """

    code: Code
    subject: Ref
    kind: Kind = Kind.FAULT
    severity: Severity = Severity.WARNING
    onset: Onset | None = None
    evidence: tuple[Evidence, ...] = ()
    values: Mapping[str, str | int | datetime] = {}
    refs: Mapping[str, tuple[Ref, ...]] = {}

    @property
    def key(self) -> tuple[Code, Ref]:
        """What makes two findings the same."""
        return self.code, self.subject


class Blind(msgspec.Struct, frozen=True, kw_only=True):
    """A question that could not be answered, why, and the one command that settles it.

    `codes` are the findings that stay open because of it; `why` is a key of the word catalogue with `values`.
    `required` says whether the verdict may be `healthy` in spite of it.
    """

    check: str
    codes: tuple[Code, ...]
    subject: Ref
    why: str
    command: str = ""
    values: Mapping[str, str | int | datetime] = {}
    sections: tuple[Section, ...] = ()
    required: bool = True
