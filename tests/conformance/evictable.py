"""A pod that can be evicted, and a disruption budget that guards it."""

from __future__ import annotations

from typing import Any

from tests.support.kubeapi import KubeApi
from tests.support.things import budget, node, pod

LABELS = {"app": "job"}
JOB = pod("job", "n1", labels=LABELS)


def running(api: KubeApi, *, ready: bool = True) -> None:
    api.create(node("n1"))
    api.create(JOB)
    condition = {"type": "Ready", "status": "True" if ready else "False"}
    api.merge(JOB, {"status": {"phase": "Running", "conditions": [condition]}}, "status")


def guarded(api: KubeApi, name: str = "one", **status: Any) -> None:
    made = api.create(budget(name, **LABELS))
    counts = {"expectedPods": 1, "currentHealthy": 1, "desiredHealthy": 1, "disruptionsAllowed": 0}
    seen = {"observedGeneration": made["metadata"]["generation"]}
    api.merge(made, {"status": {**counts, **seen, **status}}, "status")
