"""Karpenter's node repair as arithmetic: which row of the policy fires, when, and whether the breaker lets it.

Source of the rules: node health controller of kubernetes-sigs/karpenter, v1.3 to v1.14.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

import msgspec

from bot.checks.views.karpenter import members, pool_of
from bot.model.objects import Condition, Node
from bot.model.refs import Ref
from bot.model.snapshot import RepairPolicy, Snapshot, known

#: Karpenter has this figure in its code, in per cent of the pool, rounded up.
ALLOWED_PERCENT = 20
#: A node may take this long to boot.
SETTLED = timedelta(minutes=5)


class Due(msgspec.Struct, frozen=True, kw_only=True):
    """A node that a row of the policy fires on; `at` is when it is deleted, None where no time was written."""

    node: Node
    pool: Ref
    policy: RepairPolicy
    condition: Condition
    at: datetime | None


class Breaker(msgspec.Struct, frozen=True, kw_only=True):
    """How many nodes of the pool there are, are unhealthy, and may be while repair goes on."""

    nodes: int
    unhealthy: int

    @property
    def allowed(self) -> int:
        """20 % of the nodes, rounded up."""
        return -(-self.nodes * ALLOWED_PERCENT // 100)

    @property
    def passes(self) -> bool:
        """Whether repair goes on."""
        return self.unhealthy <= self.allowed


def due_on(node: Node, policies: Iterable[RepairPolicy], at: datetime) -> Due | None:
    """The row that fires first on a node of Karpenter's, if any fires.

    A node that boots or goes is not ready for a while: that is no fault, and not told of.
    """
    pool = pool_of(node)
    if pool is None:
        return None
    found = [
        Due(node=node, pool=pool, policy=row, condition=one, at=_plus(one.last_transition_time, row))
        for row in policies
        for one in node.status.conditions
        if (one.type, one.status) == (row.condition, row.status) and not _in_passing(node, one, at)
    ]
    return min(found, key=lambda due: (due.at is None, str(due.at)), default=None)


def _in_passing(node: Node, one: Condition, at: datetime) -> bool:
    turned = one.last_transition_time
    passing = node.metadata.deletion_timestamp is not None or (turned is not None and at - turned < SETTLED)
    return one.type == "Ready" and passing


def _plus(turned: datetime | None, row: RepairPolicy) -> datetime | None:
    return turned + row.toleration if turned else None


def due_by_pool(snapshot: Snapshot) -> dict[Ref, tuple[Due, ...]]:
    """The nodes that the policy fires on, by pool, the next to go first."""
    found: dict[Ref, list[Due]] = {}
    for node in known(snapshot.nodes):
        if due := due_on(node, snapshot.repair_policies, snapshot.at):
            found.setdefault(due.pool, []).append(due)
    return {
        pool: tuple(sorted(dues, key=lambda due: (due.at is None, str(due.at), due.node.name)))
        for pool, dues in sorted(found.items())
    }


def breaker_of(snapshot: Snapshot, pool: Ref) -> Breaker:
    """The breaker of a pool: it counts every node that any row names, whether its toleration has passed or not."""
    nodes = members(snapshot, pool)
    rows = {(row.condition, row.status) for row in snapshot.repair_policies}
    unhealthy = sum(any((one.type, one.status) in rows for one in node.status.conditions) for node in nodes)
    return Breaker(nodes=len(nodes), unhealthy=unhealthy)
