"""Rollouts end: DaemonSets and Deployments report that every pod runs their newest template."""

from __future__ import annotations

from datetime import datetime

from bot.playground.physics.api import Api, Object

_DAEMONSETS = "/apis/apps/v1/daemonsets"
_DEPLOYMENTS = "/apis/apps/v1/deployments"


class Rollouts:
    """The DaemonSet and Deployment controllers, as far as a restart needs them."""

    def step(self, api: Api, _now: datetime) -> None:
        """Bring the status of every workload up to its generation."""
        for one in api.list(_DAEMONSETS):
            wanted = one.get("status", {}).get("desiredNumberScheduled", 0)
            self._report(api, "daemonsets", one, {"updatedNumberScheduled": wanted, "numberReady": wanted})
        for one in api.list(_DEPLOYMENTS):
            wanted = one["spec"].get("replicas", 1)
            counts = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
            self._report(api, "deployments", one, dict.fromkeys(counts, wanted))

    def _report(self, api: Api, plural: str, one: Object, counts: Object) -> None:
        meta = one["metadata"]
        if one.get("status", {}).get("observedGeneration", 0) < meta.get("generation", 1):
            path = f"/apis/apps/v1/namespaces/{meta['namespace']}/{plural}/{meta['name']}/status"
            api.patch(path, {"status": {"observedGeneration": meta.get("generation", 1), **counts}})
