"""The port of plans, freeze, budget and audit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import msgspec

from bot.remedy.decision import NOT_BEGUN, Budget, Decision, Entry, Freeze
from bot.remedy.plan import Plan


class NotWritten(Exception):
    """The audit or the plan could not be written, as far as is known: nothing may run on the strength of it.

    The text says why: a reason of the catalogue with a detail behind it, or the store's own words.
    """


class NotBegun(NotWritten):
    """There is no journal in the store yet: until people begin it everything is frozen. The text is the reason."""

    def __init__(self) -> None:
        super().__init__(NOT_BEGUN)


class Ledger(msgspec.Struct, frozen=True, kw_only=True):
    """All that a decision is made from, as read at one moment; `head` is the audit's last entry."""

    plan: Plan | None
    freeze: Freeze
    budget: Budget
    head: str = ""


class Journal(Protocol):
    """Plans, freeze, budget and the chained audit, changed together or not at all."""

    def read(self, plan_id: str) -> Ledger:
        """The state now. An unreadable freeze is frozen; an unreadable plan raises.

        Raises:
            NotWritten: the store is out of reach.
        """
        ...

    def commit(self, op_id: str, before: Ledger, decision: Decision) -> bool:
        """Write plan, entries, budget and work in one step; False if anything changed since `before` was read.

        The same `op_id` a second time changes nothing and answers as the first time did.

        Raises:
            NotWritten: it is not known to be written.
        """
        ...

    def note(self, op_id: str, *entries: Entry) -> None:
        """Chain entries that change no plan (a refused button, an export).

        Raises:
            NotWritten: it is not known to be written.
        """
        ...

    def known(self, op_id: str) -> bool:
        """Whether this op was committed or noted before: then its event was decided, and comes a second time.

        Raises:
            NotWritten: the store is out of reach.
        """
        ...

    def noted(self, op_id: str) -> tuple[Mapping[str, str], ...]:
        """What the audit has of this op, as `entries` has it; nothing of one that is not known.

        Raises:
            NotWritten: the store is out of reach.
        """
        ...

    def plans(self, *, incident: str = "") -> tuple[Plan, ...]:
        """Plans that are not over, or all of one incident, oldest first."""
        ...

    def freeze(self, op_id: str, before: Freeze, after: Freeze, entry: Entry) -> bool:
        """Change the freeze, audited; False if it changed since."""
        ...

    def entries(self, *, incident: str = "") -> tuple[Mapping[str, str], ...]:
        """The audit's entries as they are stored, oldest first; of one incident, or all."""
        ...
