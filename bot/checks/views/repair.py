"""Karpenter's node repair as arithmetic: which row of the policy fires, when, and whether the breaker lets it.

Source of the rules: kubernetes-sigs/karpenter, pkg/controllers/node/health/controller.go, v1.3.0 to v1.14.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

import msgspec

from bot.checks.views.karpenter import members, pool_of
from bot.model.objects import Condition, Node, NodeClaim
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
    """How many nodes of the pool there are, are unhealthy, and may be while repair goes on.

    Karpenter's `areNodesHealthy` counts the Node objects that carry the pool's label, and as unhealthy each of them
    with a condition that any row of the policy names: its toleration need not have passed, and a node whose deletion
    runs counts until it is gone. It counts anew before each deletion. A node that it holds back is looked at again
    within five minutes: from v1.7 on by a timer, before that whenever the kubelet writes the node's status.
    """

    nodes: int
    unhealthy: int
    #: Those of the unhealthy that will not stay so: their deletion runs, or they boot.
    passing: int = 0

    @property
    def allowed(self) -> int:
        """20 % of the nodes, rounded up."""
        return -(-self.nodes * ALLOWED_PERCENT // 100)

    @property
    def passes(self) -> bool:
        """Whether repair goes on now."""
        return self.unhealthy <= self.allowed

    @property
    def will_pass(self) -> bool:
        """Whether repair goes on at last, where a healthy node comes in the place of each that goes.

        It then takes all that are marked: each deletion lowers the count by one, and what is allowed by one at most,
        for as long as the successor is not there. Where it does not, nobody frees the nodes that are held back.
        """
        return self.unhealthy - self.passing <= self.allowed


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


def going(snapshot: Snapshot) -> Mapping[str, Node | NodeClaim]:
    """What is being deleted, by the name of the node: a deletion begins with the NodeClaim's."""
    claims = [one for one in known(snapshot.nodeclaims) if one.metadata.deletion_timestamp]
    nodes = [one for one in known(snapshot.nodes) if one.metadata.deletion_timestamp]
    return {**{one.status.node_name: one for one in claims}, **{one.name: one for one in nodes}}


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
    """The breaker of a pool as it stands."""
    nodes, leaving = members(snapshot, pool), going(snapshot)
    rows = {(row.condition, row.status) for row in snapshot.repair_policies}
    fired = [
        (node, bad)
        for node in nodes
        if (bad := [one for one in node.status.conditions if (one.type, one.status) in rows])
    ]
    passing = sum(
        node.name in leaving or all(_in_passing(node, one, snapshot.at) for one in bad) for node, bad in fired
    )
    return Breaker(nodes=len(nodes), unhealthy=len(fired), passing=passing)
