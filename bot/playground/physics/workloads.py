"""The workload controllers and the scheduler, as far as a replaced node needs them: its pods come back on the next."""

from __future__ import annotations

import copy
from datetime import datetime

from bot.playground.physics.api import NODES, PODS, Api, Object
from bot.playground.physics.world import rfc3339


class Workloads:
    """Recreates a ReplicaSet's pods whose node went away, on the youngest node of a NodePool."""

    def step(self, api: Api, now: datetime) -> None:
        """Move what lost its node."""
        nodes = {node["metadata"]["name"]: node for node in api.list(NODES)}
        pooled = [node for node in nodes.values() if "karpenter.sh/nodepool" in node["metadata"].get("labels", {})]
        if not pooled:
            return
        youngest = max(pooled, key=lambda node: str(node["metadata"]["creationTimestamp"]))["metadata"]["name"]
        for pod in api.list(PODS):
            if _replicated(pod) and pod["spec"].get("nodeName") and pod["spec"]["nodeName"] not in nodes:
                self._move(api, pod, youngest, now)

    def _move(self, api: Api, pod: Object, node: str, now: datetime) -> None:
        meta = pod["metadata"]
        collection = f"/api/v1/namespaces/{meta['namespace']}/pods"
        fresh = copy.deepcopy(pod)
        owner = meta["ownerReferences"][0]["name"]
        fresh["metadata"] = {
            "name": f"{owner}-{node.removesuffix('.ec2.internal')[-5:]}",
            "namespace": meta["namespace"],
            "labels": meta.get("labels", {}),
            "ownerReferences": meta["ownerReferences"],
        }
        fresh["spec"]["nodeName"] = node
        for condition in fresh["status"].get("conditions", ()):
            condition["lastTransitionTime"] = rfc3339(now)
        api.delete(f"{collection}/{meta['name']}", at_once=True)
        api.create(collection, fresh)
        api.patch(f"{collection}/{fresh['metadata']['name']}/status", {"status": fresh["status"]})


def _replicated(pod: Object) -> bool:
    return any(owner["kind"] == "ReplicaSet" for owner in pod["metadata"].get("ownerReferences", ()))
