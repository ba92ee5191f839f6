"""The node monitoring agent as a workload: its DaemonSet, its ConfigMap, and whether it knows settings."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.checks.views.monitor import Monitor, monitor
from bot.model.objects import DaemonSet, Pod
from bot.model.refs import Ref
from bot.model.sections import Unknown, UnknownReason
from bot.model.snapshot import Snapshot
from tests.support.objects import decoded, thing

AT = datetime(2026, 7, 10, 15, tzinfo=UTC)
AGENT = Ref("ds", "eks-node-monitoring-agent", "kube-system")
CONFIG = Ref("configmap", "eks-node-monitoring-agent-monitor-config", "kube-system")
IMAGE = "602401143452.dkr.ecr.eu-west-1.amazonaws.com/eks/eks-node-monitoring-agent"
MOUNTED = {"name": "monitor-config", "configMap": {"name": CONFIG.name, "optional": True}}
FORBIDDEN = Unknown(UnknownReason.FORBIDDEN)


def daemonset(name: str = AGENT.name, image: str = f"{IMAGE}:v1.7.0-eksbuild.1", *volumes: Any) -> DaemonSet:
    spec = {"containers": [{"name": "agent", "image": image}], "volumes": [{"name": "host-root"}, *volumes]}
    return decoded(
        thing("DaemonSet", name, AGENT.namespace, api="apps/v1", spec={"template": {"spec": spec}}), DaemonSet
    )


POD = decoded(
    thing("Pod", "agent-x", AGENT.namespace, meta={"ownerReferences": [{"kind": "DaemonSet", "name": AGENT.name}]}), Pod
)


def test_the_configmap_that_the_chart_made() -> None:
    found = monitor(Snapshot(at=AT, daemonsets=(daemonset("aws-node"), daemonset(AGENT.name, f"{IMAGE}:x", MOUNTED))))
    assert found == Monitor(daemonset=(AGENT,), config=(CONFIG,))


def test_without_settings_there_is_none() -> None:
    assert monitor(Snapshot(at=AT, daemonsets=(daemonset(),))) == Monitor(daemonset=(AGENT,))


@pytest.mark.parametrize(
    ("tag", "old"),
    [
        (":v1.2.0-eksbuild.1", True),
        (":v1.5.2-eksbuild.1", True),
        (":v1.6.0-eksbuild.1", False),
        (":v1.10.0", False),
        (":v2.0.0", False),
        (":latest", False),
        ("@sha256:0123", False),
    ],
)
def test_an_agent_before_1_6_is_old(tag: str, old: bool) -> None:
    found = monitor(Snapshot(at=AT, daemonsets=(daemonset(image=IMAGE + tag),)))
    assert found.old_image == (IMAGE + tag if old else "")


@pytest.mark.parametrize("daemonsets", [FORBIDDEN, (daemonset("aws-node"),)])
def test_its_pods_name_it_where_the_daemonset_was_not_read(daemonsets: Any) -> None:
    snapshot = Snapshot(at=AT, daemonsets=daemonsets, pods=(POD,))
    assert monitor(snapshot, (Ref("pod", "agent-x", AGENT.namespace),)) == Monitor(daemonset=(AGENT,))
    assert monitor(snapshot) == Monitor()
