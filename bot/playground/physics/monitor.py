"""The EKS node monitoring agent on an image without libdcgm: a minute after start it marks the node's GPU as unready.

The agent upserts only the conditions of its enabled monitors and never clears one that latched
(aws/eks-node-monitoring-agent#266).
"""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.playground.physics.api import NODES, Api, Object
from bot.playground.physics.world import rfc3339

CONDITION = "AcceleratedHardwareReady"
#: `DCGM_GRACE_PERIOD_DURATION` of the agent.
GRACE = timedelta(minutes=1)


class NodeMonitor:
    """Marks every Karpenter node whose DCGM cannot start."""

    def step(self, api: Api, now: datetime) -> None:
        """Mark the nodes that have been up for the agent's grace period."""
        for node in api.list(NODES):
            up_since = datetime.fromisoformat(node["metadata"]["creationTimestamp"])
            if _karpenter_node(node) and not _marked(node) and now - up_since >= GRACE:
                conditions = [*node["status"].get("conditions", ()), _failed(now)]
                api.patch(f"{NODES}/{node['metadata']['name']}/status", {"status": {"conditions": conditions}})


def _karpenter_node(node: Object) -> bool:
    return "karpenter.sh/nodepool" in node["metadata"].get("labels", {})


def _marked(node: Object) -> bool:
    return any(one["type"] == CONDITION for one in node["status"].get("conditions", ()))


def _failed(now: datetime) -> Object:
    stamp = rfc3339(now)
    return {
        "type": CONDITION,
        "status": "False",
        "reason": "DCGMError",
        "message": "failed to initialize DCGM: libdcgm.so not Found",
        "lastHeartbeatTime": stamp,
        "lastTransitionTime": stamp,
    }
