"""Which code can cause which: the rows of `links.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import msgspec

from bot.model.findings import Code


class LinkRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One possible step of a chain.

    `join` says how the subjects meet:
    `subject`: both are about the same object;
    `effect.ROLE`: the cause's subject is one of the effect's `refs[ROLE]`;
    `cause.ROLE`: the effect's subject is one of the cause's `refs[ROLE]`.
    `only_seen` says that the cause does not follow from what stands before it, so it is never put in unseen.
    The sentence that says why stands in the word catalogue under `CAUSE>EFFECT`.
    """

    cause: str
    effect: str
    join: str = "subject"
    only_seen: bool = False


class Links(msgspec.Struct, frozen=True, kw_only=True, dict=True, forbid_unknown_fields=True):
    """All rows, and the codes that are effects of something even where nothing else is seen."""

    link: tuple[LinkRow, ...] = ()
    never_root: frozenset[str] = frozenset()

    @cached_property
    def causes_of(self) -> Mapping[str, tuple[LinkRow, ...]]:
        """Rows by their effect's code."""
        return {
            effect: tuple(row for row in self.link if row.effect == effect) for effect in {r.effect for r in self.link}
        }

    def possible_causes(self, code: Code) -> tuple[Code, ...]:
        """The codes that may stand directly before this one."""
        return tuple(Code(row.cause) for row in self.causes_of.get(code, ()))

    def above(self, code: str) -> frozenset[str]:
        """The codes that may stand anywhere before this one."""
        found: set[str] = set()
        queue = [code]
        while queue:
            new = {row.cause for row in self.causes_of.get(queue.pop(), ())} - found
            found |= new
            queue += new
        return frozenset(found)
