"""Whether what stands in the journal's keys can be trusted: the reason of an alarm, or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.remedy.audit import Head, value_digest
from bot.remedy.decision import Budget, Freeze

#: Reasons of the catalogue.
MISSING = "freeze-journal-missing"
BAD_HEAD = "freeze-audit-head"
ROLLED_BACK = "freeze-rolled-back"
UNREADABLE = "freeze-unreadable"
GONE = "freeze-gone"


def alarm_of(gen: str, head: Head | None, freeze: Freeze | None, budget: Budget | None, cluster: str | None) -> str:
    """What cannot be read at all: the mark of the journal, the audit's head, or one of the values (None)."""
    if not gen:
        return MISSING
    if head is None:
        return BAD_HEAD
    return UNREADABLE if freeze is None or budget is None or cluster is None else ""


def displaced(raw: Mapping[str, bytes | None], head: Head, names: Sequence[str], *, needed: str) -> str:
    """Whether one of the values is gone, or is an earlier one of our own; the one that is `needed` always stands."""
    if raw[needed] is None or any(raw[one] is None and one in head.beside for one in names):
        return GONE
    return "" if all(is_last(raw, one, head) for one in names) else ROLLED_BACK


def is_last(raw: Mapping[str, bytes | None], name: str, head: Head | None) -> bool:
    """Whether a value is the one that was last written, as far as the head can tell."""
    stored = raw[name]
    return not head or (value_digest(stored) if stored is not None else None) == head.beside.get(name)
