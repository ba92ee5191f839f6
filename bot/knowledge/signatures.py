"""How a failure writes itself down: the rows of `signatures.toml`, matched against texts."""

from __future__ import annotations

import re
from functools import cached_property

import msgspec

from bot.model.findings import Severity


class Signature(msgspec.Struct, frozen=True, kw_only=True, dict=True, forbid_unknown_fields=True):
    """One line that proves a code.

    Attributes:
        code: what the line proves.
        source: where it stands: `journal:UNIT`, `dmesg`, `host:/proc/swaps`, `host:/etc/fstab`, `log`, `event`.
        pattern: a regular expression, searched in each line; named groups become values of the finding.
        absent: an expression that must not occur anywhere in the same text.
        cleared_by: an expression whose line says that the fault has passed: only what stands after the last such
            line counts.
        explains: the fault on the same object whose cause the line names. The line counts only where that fault was
            found or cannot be told. There is one cause at a time: of all rows of one source that explain the same,
            the last line of the text counts, and none that is older than the fault.
        suspect: the fact that the line proves where it stands alone: it makes `code` a suspect, and settles nothing.
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
    cleared_by: str = ""
    explains: str = ""
    suspect: str = ""
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

    @cached_property
    def cleared_regex(self) -> re.Pattern[str] | None:
        """`cleared_by`, compiled."""
        return re.compile(self.cleared_by) if self.cleared_by else None
