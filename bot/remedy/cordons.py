"""How many nodes the bot may keep cordoned: whatever goes wrong, it must not take a cluster out of scheduling."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from bot.model.refs import Ref
from bot.model.sections import Section, Unknown
from bot.model.snapshot import Snapshot, known
from bot.remedy.digest import MARKER

#: One in so many nodes, and one in any case.
ONE_IN = 20


class Cordons(msgspec.Struct, frozen=True, kw_only=True):
    """How many nodes there are, and how many of them are cordoned and were last changed by the bot.

    `why` is the reason, with `values`, for which they could not be counted.
    """

    nodes: int = 0
    cordoned: int = 0
    why: str = ""
    values: Mapping[str, str] = {}

    @property
    def limit(self) -> int:
        """How many the bot may keep cordoned."""
        return max(1, self.nodes // ONE_IN)


def cordons(snapshot: Snapshot, but: Ref) -> Cordons:
    """Count them, without the one that is to be cordoned."""
    missing = snapshot.nodes if isinstance(snapshot.nodes, Unknown) else snapshot.gaps.get(Section.NODES)
    if missing is not None:
        return Cordons(why=missing.why, values=missing.about(Section.NODES))
    nodes = known(snapshot.nodes)
    ours = [one for one in nodes if one.spec.unschedulable and MARKER in one.metadata.annotations]
    return Cordons(nodes=len(nodes), cordoned=sum(one.name != but.name for one in ours))
