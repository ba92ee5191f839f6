"""Where a waiting pod goes, and what is said where it goes nowhere.

Axes: taint and toleration, cordon, readiness, selector, affinity, the resource that it asks for and who holds it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.playground.apiserver.server import SimulatedCluster
from bot.playground.physics.api import PODS, Api
from bot.playground.physics.scheduler import Scheduler

NOW = datetime(2026, 10, 30, 16, 40, tzinfo=UTC)
LATER = datetime(2026, 10, 30, 16, 41, tzinfo=UTC)
CARD = "nvidia.com/GB202_GEFORCE_RTX_5090"
POD, NODE = "/api/v1/namespaces/default/pods", "/api/v1/nodes"
#: The end of every message where nothing could be ended in its favour.
PREEMPTION = "preemption: 0/1 nodes are available: 1 {}."
VICTIMS, NO_HELP = "No preemption victims found for incoming pod", "Preemption is not helpful for scheduling"


@pytest.fixture
def api() -> Iterator[Api]:
    class At:
        def now(self) -> datetime:
            return NOW

    with SimulatedCluster(At()) as cluster:
        yield Api(cluster.kubeconfig())


def add_node(api: Api, name: str = "n1", *, ready: str = "True", labels: Any = None, **spec: Any) -> None:
    meta = {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}}
    conditions = [{"type": "Ready", "status": ready}]
    status = {"conditions": conditions, "allocatable": {CARD: "1", "devices.kubevirt.io/kvm": "1k", "cpu": "32"}}
    api.create(NODE, {"apiVersion": "v1", "kind": "Node", "metadata": meta, "status": status})
    # Admission marks a node until it reports itself.
    api.patch(f"{NODE}/{name}", {"spec": {"taints": [], **spec}})


def add_pod(api: Api, name: str = "p1", asks: Any = None, *, how: str = "requests", **spec: Any) -> None:
    resources = {how: {CARD: "1", "memory": "8586Mi"} if asks is None else asks}
    containers = [{"name": "compute", "image": "launcher", "resources": resources}]
    body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": containers, **spec}}
    api.create(POD, body)


def look(api: Api, name: str = "p1", now: datetime = NOW) -> tuple[str, Any]:
    """The scheduler looks once; the pod's node and its PodScheduled."""
    Scheduler().step(api, now)
    pod = api.get(f"{POD}/{name}")
    assert pod is not None
    conditions = [one for one in pod["status"].get("conditions", ()) if one["type"] == "PodScheduled"]
    return pod["spec"].get("nodeName", ""), conditions[0] if conditions else None


def refusal(api: Api, why: str, helps: str) -> None:
    node, told = look(api)
    message = f"0/1 nodes are available: 1 {why}. {PREEMPTION.format(helps)}"
    assert (node, told["status"], told["reason"], told["message"]) == ("", "False", "Unschedulable", message)


def test_a_node_that_has_one_left_takes_it(api: Api) -> None:
    add_node(api)
    add_pod(api)
    node, told = look(api)
    assert (node, told["status"]) == ("n1", "True")
    assert "reason" not in told


@pytest.mark.parametrize("effect", ["NoSchedule", "NoExecute"])
def test_a_taint_that_is_not_tolerated(api: Api, effect: str) -> None:
    add_node(api, taints=[{"key": "gpu", "value": "yes", "effect": effect}])
    add_pod(api, tolerations=[{"key": "gpu", "operator": "Equal", "value": "no", "effect": effect}, {"key": "other"}])
    refusal(api, "node(s) had untolerated taint {gpu: yes}", NO_HELP)


@pytest.mark.parametrize(
    "toleration",
    [
        {"operator": "Exists"},
        {"key": "gpu", "operator": "Exists"},
        {"key": "gpu", "value": "yes"},
        {"key": "gpu", "operator": "Equal", "value": "yes", "effect": "NoSchedule"},
    ],
)
def test_a_taint_that_is_tolerated(api: Api, toleration: Any) -> None:
    add_node(api, taints=[{"key": "gpu", "value": "yes", "effect": "NoSchedule"}])
    add_pod(api, tolerations=[toleration])
    assert look(api)[0] == "n1"


def test_a_taint_that_only_asks_for_others_is_no_obstacle(api: Api) -> None:
    add_node(api, taints=[{"key": "gpu", "effect": "PreferNoSchedule"}])
    add_pod(api)
    assert look(api)[0] == "n1"


def test_a_node_that_is_not_ready(api: Api) -> None:
    add_node(api, ready="Unknown")
    add_pod(api)
    refusal(api, "node(s) had untolerated taint {node.kubernetes.io/not-ready: }", NO_HELP)


def test_a_node_that_is_cordoned(api: Api) -> None:
    add_node(api, unschedulable=True)
    add_pod(api)
    refusal(api, "node(s) were unschedulable", NO_HELP)


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def terms(*every: Any) -> dict[str, Any]:
    return {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": every}}}}


def asks(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": values}]}


OBSOLETE = asks("node-labeller.kubevirt.io/obsolete-host-model", "DoesNotExist")
ON_N1 = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}


@pytest.mark.parametrize(
    ("spec", "takes"),
    [
        ({"nodeSelector": {"kubevirt.io/schedulable": "true"}}, True),
        ({"nodeSelector": {"kubevirt.io/schedulable": "false"}}, False),
        ({"nodeSelector": {"absent": "true"}}, False),
        (terms(OBSOLETE), True),
        (terms(asks("kubevirt.io/schedulable", "Exists")), True),
        (terms(asks("kubevirt.io/schedulable", "DoesNotExist")), False),
        (terms(asks("kubevirt.io/schedulable", "In", "true", "x")), True),
        (terms(asks("kubevirt.io/schedulable", "NotIn", "true")), False),
        (terms(asks("absent", "Exists"), ON_N1), True),
        (terms({**asks("absent", "Exists"), **ON_N1}), False),
        ({"nodeSelector": {"absent": "true"}, **terms(ON_N1)}, False),
    ],
)
def test_selector_and_affinity(api: Api, spec: Any, takes: bool) -> None:
    add_node(api, labels={"kubevirt.io/schedulable": "true"})
    add_pod(api, **spec)
    if takes:
        assert look(api)[0] == "n1"
    else:
        refusal(api, "node(s) didn't match Pod's node affinity/selector", NO_HELP)


@pytest.mark.parametrize("how", ["requests", "limits"])
def test_a_card_that_another_pod_holds(api: Api, how: str) -> None:
    add_node(api)
    add_pod(api, "holder", how=how, nodeName="n1")
    add_pod(api)
    refusal(api, f"Insufficient {CARD}", VICTIMS)


def test_a_card_is_free_again_when_its_holder_has_ended(api: Api) -> None:
    add_node(api)
    add_pod(api, "holder", nodeName="n1")
    add_pod(api)
    assert look(api)[0] == ""
    api.patch(f"{POD}/holder/status", {"status": {"phase": "Succeeded"}})
    assert look(api)[0] == "n1"


def test_two_that_wait_for_one_card(api: Api) -> None:
    add_node(api)
    add_pod(api, "p1")
    add_pod(api, "p2")
    assert (look(api, "p1")[0], look(api, "p2")[0]) == ("n1", "")


@pytest.mark.parametrize(("count", "takes"), [("1000", True), ("1001", False)])
def test_devices_that_come_in_thousands(api: Api, count: str, takes: bool) -> None:
    add_node(api)
    add_pod(api, asks={"devices.kubevirt.io/kvm": count})
    assert look(api)[0] == ("n1" if takes else "")


def test_a_resource_that_nobody_offers_and_nodes_that_differ(api: Api) -> None:
    for name in ("n1", "n2"):
        add_node(api, name)
    add_node(api, "n3", taints=[{"key": "gpu", "effect": "NoSchedule"}])
    add_pod(api, asks={"nvidia.com/other": "1"})
    assert look(api)[1]["message"] == (
        "0/3 nodes are available: 1 node(s) had untolerated taint {gpu: }, 2 Insufficient nvidia.com/other."
        f" preemption: 0/3 nodes are available: 1 {NO_HELP}, 2 {VICTIMS}."
    )


def test_what_was_said_is_said_once_and_since_when_it_waits_stays(api: Api) -> None:
    add_node(api, unschedulable=True)
    add_pod(api)
    first = look(api)[1]
    before = api.list(PODS)
    assert look(api, now=LATER)[1] == first
    assert api.list(PODS) == before
    api.patch(f"{NODE}/n1", {"spec": {"unschedulable": None, "taints": [{"key": "gpu", "effect": "NoSchedule"}]}})
    later = look(api, now=LATER)[1]
    assert later["message"] != first["message"]
    assert later["lastTransitionTime"] == first["lastTransitionTime"] == "2026-10-30T16:40:00Z"


@pytest.mark.parametrize("spec", [{"schedulingGates": [{"name": "example.com/gate"}]}, {"nodeName": "elsewhere"}])
def test_what_does_not_wait_is_left_alone(api: Api, spec: Any) -> None:
    add_node(api)
    add_pod(api, **spec)
    before = api.list(PODS)
    Scheduler().step(api, NOW)
    assert api.list(PODS) == before
