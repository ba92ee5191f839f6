"""The pure result of a diagnosis: findings linked into chains, without words or layout."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

import msgspec

from bot.model.findings import Blind, Code, Finding
from bot.model.refs import Ref

#: What identifies a finding inside a diagnosis.
Key = tuple[Code, Ref]


class Verdict(StrEnum):
    """The answer in one word; `broken` wins over `unknown`."""

    HEALTHY = "healthy"
    BROKEN = "broken"
    UNKNOWN = "unknown"


class Certainty(StrEnum):
    """Whether something was seen or follows; probabilities are not invented."""

    OBSERVED = "observed"
    INFERRED = "inferred"


class Link(msgspec.Struct, frozen=True):
    """One step of a chain. Inferred where the evidence of either end is missing."""

    cause: Key
    effect: Key
    certainty: Certainty


class Root(msgspec.Struct, frozen=True, kw_only=True):
    """Where a chain begins, as far as it was seen.

    `open_causes` are the codes that could stand before it and could not be looked at, or, where all were, those that
    were not found: the cause is *not seen*.
    """

    finding: Finding
    certainty: Certainty = Certainty.OBSERVED
    open_causes: tuple[Code, ...] = ()

    @property
    def cause_seen(self) -> bool:
        """Whether the chain ends here by what was seen, not for want of sight."""
        return not self.open_causes


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is known after the checks ran, for one question.

    `findings` holds the inferred ones too (`inferred` names their keys). `roots` come first things first;
    `not_examined` are faults of other objects, which none of the roots explains. `judged` are the faults that the
    verdict was judged by: those that touch the question.
    """

    at: datetime
    scope: tuple[Ref, ...]
    verdict: Verdict
    roots: tuple[Root, ...] = ()
    links: tuple[Link, ...] = ()
    findings: tuple[Finding, ...] = ()
    inferred: frozenset[Key] = frozenset()
    blind: tuple[Blind, ...] = ()
    affected: tuple[Key, ...] = ()
    not_examined: tuple[Key, ...] = ()
    judged: frozenset[Key] = frozenset()

    def finding(self, key: Key) -> Finding:
        """The finding of this key.

        Raises:
            KeyError: there is none.
        """
        for one in self.findings:
            if one.key == key:
                return one
        raise KeyError(key)

    def chain_of(self, root: Key) -> frozenset[Key]:
        """The root and everything that it leads to."""
        reached, queue = {root}, [root]
        while queue:
            cause = queue.pop()
            fresh = {one.effect for one in self.links if one.cause == cause} - reached
            reached |= fresh
            queue += fresh
        return frozenset(reached)
