"""Who else acts on a node."""

from typing import Any

import msgspec
import pytest

from bot.checks.others_acting import CHECK, QUARANTINE
from bot.model.findings import Kind
from bot.model.objects.core import EventSource
from bot.model.sections import Section
from tests.support.checked import ask, open_codes, the
from tests.support.lab import cluster, event, node, without

REPAIR = msgspec.structs.replace(event("NodeRebooted"), source=EventSource(component="aks-auto-repair"))


@pytest.mark.parametrize(
    ("sections", "code"),
    [
        ({"nodes": (node(annotations={QUARANTINE: '[{"agent":"gpu-health-monitor"}]'}),)}, "nvsentinel-quarantine"),
        ({"nodes": (node(taints=["ToBeDeletedByClusterAutoscaler"]),)}, "autoscaler-removes-node"),
        ({"nodes": (node(),), "events": (REPAIR,)}, "cloud-node-repair"),
    ],
)
def test_fires(sections: dict[str, Any], code: str) -> None:
    found = the(ask(CHECK, cluster(**sections)), code)
    assert found.kind is Kind.ACTING
    assert found.evidence


def test_quiet() -> None:
    left_behind = node(labels={"k8saas.nvidia.com/cordon-by": "NVSentinel"}, annotations={QUARANTINE: ""})
    assert not ask(CHECK, cluster(nodes=(left_behind,), events=(event("NodeNotReady"),))).findings


def test_without_nodes_it_cannot_tell() -> None:
    assert ("nvsentinel-quarantine", "cluster") in open_codes(ask(CHECK, without(cluster(), Section.NODES)))
