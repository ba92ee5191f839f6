"""Nodes that the list of nodes lacks though something else shows that they are there: the list is not whole.

A list that was cut off, or a page of a longer one, looks like a whole one. A pod that is bound to a node, or a Lease
that is still renewed, tells otherwise: Kubernetes deletes the pods of a node that is gone within about a minute.
"""

from __future__ import annotations

from datetime import timedelta

from bot.model.objects import Pod
from bot.model.snapshot import Snapshot

#: A Lease this fresh is being renewed.
_RENEWED = timedelta(minutes=2)
#: The lists are read one after the other: what has only just come may be in one and not yet in the other.
_SETTLED = timedelta(minutes=2)


def unlisted(snapshot: Snapshot) -> tuple[str, ...]:
    """Their names; none where the nodes are not known at all."""
    if not isinstance(snapshot.nodes, tuple):
        return ()
    shown = {*snapshot.pods_by_node, *snapshot.lease} - set(snapshot.node)
    return tuple(sorted(name for name in shown if _has_pods(snapshot, name) or _is_renewed(snapshot, name)))


def _has_pods(snapshot: Snapshot, name: str) -> bool:
    return any(_stays(snapshot, pod) for pod in snapshot.pods_by_node.get(name, ()))


def _stays(snapshot: Snapshot, pod: Pod) -> bool:
    born = pod.metadata.creation_timestamp
    is_new = born is not None and snapshot.at - born < _SETTLED
    return not is_new and pod.metadata.deletion_timestamp is None and pod.status.phase not in ("Succeeded", "Failed")


def _is_renewed(snapshot: Snapshot, name: str) -> bool:
    lease = snapshot.lease.get(name)
    if lease is None:
        return False
    renewed, born = lease.spec.renew_time, lease.metadata.creation_timestamp
    is_new = born is not None and snapshot.at - born < _SETTLED
    return not is_new and renewed is not None and abs(snapshot.at - renewed) <= _RENEWED
