"""The kubelets that live: they renew their Lease and say Ready. A node that is not theirs to speak for stays silent."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from bot.playground.physics.api import LEASES, NODES, Api, Object
from bot.playground.physics.world import micro_time, rfc3339


class Kubelets:
    """Keeps every node's Lease fresh, but for the dead ones. One that is drained lives until its machine ends."""

    def __init__(self, dead: Collection[str] = ()) -> None:
        self.dead = frozenset(dead)

    def step(self, api: Api, now: datetime) -> None:
        """One round of heartbeats."""
        for node in api.list(NODES):
            name = node["metadata"]["name"]
            if name not in self.dead:
                renew(api, name, now)


def renew(api: Api, name: str, now: datetime) -> None:
    """Renew a kubelet's Lease, or make it."""
    spec: Object = {"holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": micro_time(now)}
    if api.patch(f"{LEASES}/{name}", {"spec": spec}) is None:
        lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name}, "spec": spec}
        api.create(LEASES, lease)


def ready_condition(now: datetime) -> Object:
    """The Ready condition of a kubelet that is well."""
    stamp = rfc3339(now)
    return {
        "type": "Ready",
        "status": "True",
        "reason": "KubeletReady",
        "message": "kubelet is posting ready status",
        "lastHeartbeatTime": stamp,
        "lastTransitionTime": stamp,
    }
