"""The EKS node monitoring agent on an image without libdcgm: a minute after start it marks the node's GPU as unready.

It reads its configuration when it starts, upserts only the conditions of its enabled monitors, and never clears one
that latched (aws/eks-node-monitoring-agent#266): a condition of a monitor that is off now stays as it is. From 1.6.0 on
it leaves DCGM alone on arm64.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

import yaml

from bot.playground.physics.api import NODES, Api, Object
from bot.playground.physics.world import rfc3339

CONDITION = "AcceleratedHardwareReady"
#: `DCGM_GRACE_PERIOD_DURATION` of the agent.
GRACE = timedelta(minutes=1)
DAEMONSET = "/apis/apps/v1/namespaces/kube-system/daemonsets/eks-node-monitoring-agent"
_CONFIGMAPS = "/api/v1/namespaces/kube-system/configmaps"
#: The first agent that leaves DCGM alone on arm64.
_WITHOUT_DCGM = (1, 6)


class NodeMonitor:
    """The agent's pods on all Karpenter nodes.

    Args:
        grace: how long after its start the agent gives DCGM to come up.
    """

    def __init__(self, grace: timedelta = GRACE) -> None:
        self._grace = grace
        self._generation: int | None = None
        self._started: datetime | None = None
        self._marks = True
        self._version = (0, 0)

    def step(self, api: Api, now: datetime) -> None:
        """Restart when the DaemonSet was rolled, and mark the nodes whose grace is over."""
        self._follow(api, now)
        for node in api.list(NODES):
            if not _karpenter_node(node) or not self._marks:
                continue
            up_since = datetime.fromisoformat(node["metadata"]["creationTimestamp"])
            begun = max(up_since, self._started) if self._started else up_since
            if now - begun >= self._grace and self._looks_for_dcgm(node):
                self._upsert(api, node, _condition("False", now))
            elif self._started is not None and _mark(node) is not None:
                self._upsert(api, node, _condition("True", now))

    def _follow(self, api: Api, now: datetime) -> None:
        """A new template means new pods: they begin anew, with the configuration of this moment."""
        daemonset = api.get(DAEMONSET)
        generation = int(daemonset["metadata"].get("generation", 0)) if daemonset else 0
        if generation == self._generation:
            return
        if self._generation is not None:
            self._started = now
        self._generation = generation
        self._marks = daemonset is None or _nvidia_enabled(api, daemonset)
        self._version = _version(daemonset) if daemonset else (0, 0)

    def _looks_for_dcgm(self, node: Object) -> bool:
        return self._version < _WITHOUT_DCGM or node["status"].get("nodeInfo", {}).get("architecture") != "arm64"

    def _upsert(self, api: Api, node: Object, fresh: Object) -> None:
        """Only a change of status has a new transition time, as the agent writes it. No other condition is touched."""
        old = _mark(node)
        if old is not None and old["status"] == fresh["status"]:
            return
        path = f"{NODES}/{node['metadata']['name']}/status"
        api.patch(path, {"status": {"conditions": [fresh]}}, joined=True)


def _nvidia_enabled(api: Api, daemonset: Object) -> bool:
    """`monitors.nvidia.enabled` of the ConfigMap that the chart mounts; on where there is none."""
    volumes = daemonset["spec"]["template"]["spec"].get("volumes", ())
    for name in [one["configMap"]["name"] for one in volumes if "configMap" in one]:
        found = api.get(f"{_CONFIGMAPS}/{name}")
        text = (found or {}).get("data", {}).get("config.yaml", "")
        settings: Any = yaml.safe_load(text) or {}
        return bool(settings.get("monitors", {}).get("nvidia", {}).get("enabled", True))
    return True


def _version(daemonset: Object) -> tuple[int, int]:
    """Major and minor number of the agent's image; (0, 0) where its tag tells none."""
    (container, *_) = daemonset["spec"]["template"]["spec"]["containers"]
    found = re.search(r":v(\d+)\.(\d+)", container["image"])
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _karpenter_node(node: Object) -> bool:
    return "karpenter.sh/nodepool" in node["metadata"].get("labels", {})


def _mark(node: Object) -> Object | None:
    return next((one for one in node["status"].get("conditions", ()) if one["type"] == CONDITION), None)


def _condition(status: str, now: datetime) -> Object:
    failed = status == "False"
    stamp = rfc3339(now)
    return {
        "type": CONDITION,
        "status": status,
        "reason": "DCGMError" if failed else "NvidiaGPUIsReady",
        "message": "failed to initialize DCGM: libdcgm.so not Found" if failed else "",
        "lastHeartbeatTime": stamp,
        "lastTransitionTime": stamp,
    }
