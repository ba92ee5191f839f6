"""Which kubelets are dead: shared by every check that must not trust what a dead kubelet wrote last.

Two witnesses: the node controller sets Ready to Unknown 40 to 50 s after the kubelet's last sign, and the kubelet's
Lease is no longer renewed (every 10 s when it lives). Either alone suffices; where both are missing, the taint that the
node controller sets beside Unknown stands in. Without any of them a node's kubelet is neither dead nor alive.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

import msgspec

from bot.checks.evidence import of_condition, of_taint, quoted, stamp
from bot.checks.views.unlisted import unlisted
from bot.model.findings import Evidence, Onset
from bot.model.objects import Condition, Lease, Node, Taint, ref_of
from bot.model.refs import node as node_ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot

#: A Lease holds 40 s by default (`leaseDurationSeconds`).
LEASE_HOLDS = timedelta(seconds=40)
#: Clocks of nodes and of whoever took the picture differ, and a picture takes a while.
SKEW = timedelta(seconds=60)
#: While the node controller still says Ready, a Lease this old means a wrong clock, not a death of a moment ago.
CONTRADICTS = timedelta(minutes=5)
#: The node controller sets it beside Ready=Unknown.
UNREACHABLE = "node.kubernetes.io/unreachable"
#: What it sets on a node that is not ready, whatever the reason.
NOT_READY_TAINTS = frozenset({UNREACHABLE, "node.kubernetes.io/not-ready"})
#: A node that has just joined is NotReady until its network plugin is up.
JOINS = timedelta(minutes=2)
#: What tells that a kubelet is dead; without both nobody can say.
WITNESSES = (Section.NODES, Section.LEASES)


class Death(msgspec.Struct, frozen=True):
    """The evidence that a node's kubelet is dead, and since when: its last sign, or what the controller noticed."""

    evidence: tuple[Evidence, ...]
    onset: Onset | None


def is_told(snapshot: Snapshot) -> bool:
    """Whether anything is known that could tell."""
    return len(snapshot.unknown(WITNESSES)) < len(WITNESSES)


def dead_kubelets(snapshot: Snapshot) -> Mapping[str, Death]:
    """Nodes whose kubelet is dead, by name. Empty also where neither nodes nor leases are known."""
    return {name: death for name in _names(snapshot) if (death := _death(snapshot, name))}


def alive_kubelets(snapshot: Snapshot) -> frozenset[str]:
    """Nodes whose kubelet is seen alive: it wrote Ready itself, or renews its Lease."""
    return frozenset(name for name in _names(snapshot) if _is_alive(snapshot, name))


def untold_kubelets(snapshot: Snapshot) -> tuple[str, ...]:
    """Nodes of which nothing tells whether their kubelet lives, by name; those with witnesses that differ are none."""
    told = {*dead_kubelets(snapshot), *alive_kubelets(snapshot)}
    return tuple(name for name in _names(snapshot) if name not in told and not _differs(snapshot, name))


def _names(snapshot: Snapshot) -> list[str]:
    # A lease may outlive its node for a while: where the nodes are known, only theirs count, and those of nodes that
    # the list lacks.
    known = {*snapshot.node, *unlisted(snapshot)} if isinstance(snapshot.nodes, tuple) else snapshot.lease
    return sorted(known)


def _death(snapshot: Snapshot, name: str) -> Death | None:
    node, lease = snapshot.node.get(name), snapshot.lease.get(name)
    if node is None and isinstance(snapshot.nodes, tuple):
        # A Lease and pods may outlive their node for a while: one that is gone is not down, and a list that was cut
        # off looks the same.
        return None
    ready = node.ready if node else None
    stale = lease is not None and is_stale(lease, snapshot.at)
    if ready is not None and (ready.status != "Unknown" or is_back(ready, lease, snapshot.at)):
        return None
    taint = _unreachable(node) if ready is None and not _has_renewed(lease) else None
    if ready is None and not stale and taint is None:
        return None
    seen = [of_condition(node_ref(name), ready)] if ready else []
    if lease is not None and stale:
        when = lease.spec.renew_time
        seen.append(quoted(ref_of(lease), "spec.renewTime", stamp(when, micro=True) if when else "", last=when))
    if taint is not None:
        seen.append(of_taint(node_ref(name), taint))
        return Death(tuple(seen), Onset(taint.time_added, "spec.taints timeAdded") if taint.time_added else None)
    return Death(tuple(seen), _onset(ready, lease if stale else None))


def _unreachable(node: Node | None) -> Taint | None:
    return next((taint for taint in node.spec.taints if taint.key == UNREACHABLE), None) if node else None


def _has_renewed(lease: Lease | None) -> bool:
    return lease is not None and lease.spec.renew_time is not None


def _is_alive(snapshot: Snapshot, name: str) -> bool:
    node, lease = snapshot.node.get(name), snapshot.lease.get(name)
    if node is not None and node.ready is not None and node.ready.status != "Unknown":
        return not contradicts(node, lease, snapshot.at)
    is_fresh = lease is not None and _has_renewed(lease) and not is_stale(lease, snapshot.at)
    return is_fresh and (node is None or node.ready is None)


def _differs(snapshot: Snapshot, name: str) -> bool:
    node, lease = snapshot.node.get(name), snapshot.lease.get(name)
    if node is None or node.ready is None:
        return False
    return contradicts(node, lease, snapshot.at) or is_back(node.ready, lease, snapshot.at)


def _onset(ready: Condition | None, lease: Lease | None) -> Onset | None:
    renewed = lease.spec.renew_time if lease else None
    if renewed is not None:
        return Onset(renewed, "lease spec.renewTime")
    changed = ready.last_transition_time if ready else None
    return Onset(changed, "status.conditions[Ready].lastTransitionTime") if changed else None


def is_stale(lease: Lease, at: datetime) -> bool:
    """Whether the Lease ran out, beyond what differing clocks explain."""
    holds = timedelta(seconds=lease.spec.lease_duration_seconds or LEASE_HOLDS.seconds)
    return lease.spec.renew_time is not None and at - lease.spec.renew_time > holds + SKEW


def is_back(ready: Condition, lease: Lease | None, at: datetime) -> bool:
    """Whether the Lease was renewed a moment ago, after the controller had given the kubelet up.

    A renewal in the future is none: the node's clock is ahead, and says nothing of now.
    """
    renewed = lease.spec.renew_time if lease else None
    if renewed is None or not -SKEW <= at - renewed <= LEASE_HOLDS:
        return False
    return ready.last_transition_time is None or renewed > ready.last_transition_time


def contradicts(node: Node, lease: Lease | None, at: datetime) -> bool:
    """Whether Ready=True stands beside a Lease that ran out long ago: one of the two clocks or records is wrong."""
    if node.ready is None or node.ready.status != "True" or lease is None or lease.spec.renew_time is None:
        return False
    return at - lease.spec.renew_time > CONTRADICTS


def has_just_joined(node: Node, at: datetime) -> bool:
    """Whether it is too young to be judged by a Ready=False."""
    born = node.metadata.creation_timestamp
    return born is not None and at - born < JOINS
