"""How a failure writes itself down: the rows of `signatures.toml`, matched against texts."""

from __future__ import annotations

import re
from functools import cached_property

import msgspec

from bot.model.findings import Severity


class Signature(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One line that proves a code.

    Attributes:
        code: what the line proves.
        source: where it stands: `journal:UNIT`, `dmesg`, `host:/proc/swaps`, `host:/etc/fstab`, `log`, `event`.
        pattern: a regular expression, searched in each line; named groups become values of the finding.
        absent: an expression that must not occur anywhere in the same text.
        opened_by: codes whose finding makes this text worth asking for; without one of them a missing text is
            no gap.
        command: the one command that shows the text (`{node}`, `{unit}` are filled in).
        reference: where the wording was seen (a document or `repo#issue`).
    """

    code: str
    source: str
    pattern: str
    severity: Severity = Severity.CRITICAL
    absent: str = ""
    opened_by: tuple[str, ...] = ()
    command: str = ""
    reference: str = ""

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """`pattern`, compiled."""
        return re.compile(self.pattern)

    @cached_property
    def absent_regex(self) -> re.Pattern[str] | None:
        """`absent`, compiled."""
        return re.compile(self.absent) if self.absent else None
