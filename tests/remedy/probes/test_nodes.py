"""Probes of a GPU node and its machines: the axes are what is there, what is left, what could not be read."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from bot.model.objects import Node
from bot.model.sections import NotInstalled, Section, UnreadableObject
from bot.remedy.probes import Answer
from bot.remedy.runbook import Probe
from tests.remedy.probes.asking import FAILED, asked
from tests.support.lab import AT, R5090, ago, cluster, gpu_node, lease, node, pod, policy
from tests.support.vms import vm, vmi

MODE = "nvidia.com/gpu.workload.config"
DEPLOY = "nvidia.com/gpu.deploy."
SWAPPED = {MODE: "container", DEPLOY + "device-plugin": "true", DEPLOY + "operator-validator": "true"}
BEFORE = {MODE: "container", DEPLOY + "vfio-manager": "true", DEPLOY + "sandbox-device-plugin": "true"}


def sandbox(name: str = "vfio-manager", **more: Any) -> Any:
    return pod(f"{name}-x", operand=name, **more)


def test_a_label_is_what_it_should_be_or_not() -> None:
    picture = cluster(nodes=(gpu_node(mode="container"),))
    assert asked(Probe.LABEL_IS, picture, label=MODE, value="container").holds
    other = asked(Probe.LABEL_IS, picture, label=MODE, value="vm-passthrough")
    assert (other.answer, other.why, other.values["seen"]) == (Answer.NOT_YET, "repair-sees-other", "container")
    assert other.evidence[0].quote == "container"
    assert asked(Probe.LABEL_IS, picture, label="absent").holds
    assert not asked(Probe.LABEL_IS, picture, label=MODE).holds


@pytest.mark.parametrize(
    ("labels", "pods", "answer"),
    [
        (SWAPPED, (), Answer.HOLDS),
        (SWAPPED, (sandbox(deleted=ago(seconds=1)),), Answer.HOLDS),
        (SWAPPED, (sandbox(),), Answer.NOT_YET),
        (SWAPPED, (sandbox(on="omen3"),), Answer.HOLDS),
        (SWAPPED, (pod("plugin", operand="device-plugin"),), Answer.HOLDS),
        (BEFORE, (sandbox(deleted=ago(seconds=1)),), Answer.NOT_YET),
        ({**SWAPPED, DEPLOY + "vfio-manager": "true"}, (), Answer.NOT_YET),
        ({**SWAPPED, DEPLOY + "vfio-manager": "paused-for-driver-upgrade"}, (), Answer.NOT_YET),
        ({**SWAPPED, DEPLOY + "vgpu-manager": "true"}, (), Answer.NOT_YET),
        ({**SWAPPED, DEPLOY + "vfio-manager": "false"}, (), Answer.HOLDS),
        ({MODE: "container"}, (), Answer.NOT_YET),
        ({MODE: "container", DEPLOY + "device-plugin": "true"}, (), Answer.NOT_YET),
        ({**SWAPPED, MODE: "vm-passthrough"}, (), Answer.NOT_YET),
    ],
    ids=[
        "gone",
        "terminating",
        "alive",
        "of another node",
        "container side",
        "label only",
        "vfio left",
        "vfio paused",
        "vgpu left",
        "vfio false",
        "nothing there",
        "half there",
        "label turned back",
    ],
)
def test_the_operator_is_seen_by_what_it_does_not_by_the_label(
    labels: dict[str, str], pods: tuple[Any, ...], answer: Answer
) -> None:
    picture = cluster(nodes=(node("omen2", "Unknown", labels=labels),), pods=pods)
    assert asked(Probe.OPERATOR_REACTED, picture, value="container").answer is answer


@pytest.mark.parametrize("section", ["nodes", "pods"])
def test_the_operator_is_not_seen_where_something_was_not_read(section: str) -> None:
    picture = cluster(**{"nodes": (node(labels=SWAPPED),), "pods": (), section: FAILED})
    answer = asked(Probe.OPERATOR_REACTED, picture)
    assert (answer.answer, answer.values["section"]) == (Answer.CANNOT_TELL, section)


def test_a_list_of_pods_with_a_gap_does_not_show_that_none_is_left() -> None:
    picture = cluster(nodes=(node(labels=SWAPPED),), gaps={Section.PODS: FAILED})
    assert asked(Probe.OPERATOR_REACTED, picture).answer is Answer.CANNOT_TELL


def test_another_mode_is_not_asked_of_the_operator() -> None:
    picture = cluster(nodes=(node(labels=SWAPPED),))
    assert asked(Probe.OPERATOR_REACTED, picture, value="vm-passthrough").why == "repair-probe-malformed"


@pytest.mark.parametrize(
    ("policies", "answer"),
    [
        ((policy(True),), Answer.HOLDS),
        ((policy(False),), Answer.NOT_YET),
        ((policy(False, state="ignored"), policy(True)), Answer.HOLDS),
        ((), Answer.CANNOT_TELL),
        (FAILED, Answer.CANNOT_TELL),
        (NotInstalled("clusterpolicies"), Answer.NOT_YET),
    ],
)
def test_sandbox_on(policies: object, answer: Answer) -> None:
    assert asked(Probe.SANDBOX_ON, cluster(clusterpolicies=policies)).answer is answer


def lives(status: str = "True", minutes: float = 3, renewed: float = 5, **more: Any) -> dict[str, Any]:
    one = node("omen2", status, since=ago(minutes=minutes), **more)
    return {"nodes": (one,), "leases": (lease(renewed=ago(seconds=renewed)),)}


@pytest.mark.parametrize(
    ("sections", "answer", "why"),
    [
        (lives(), Answer.HOLDS, "repair-node-ready"),
        (lives(minutes=2), Answer.HOLDS, "repair-node-ready"),
        (lives(minutes=1.9), Answer.NOT_YET, "repair-ready-too-short"),
        (lives("Unknown"), Answer.NOT_YET, "repair-node-not-ready"),
        (lives("False"), Answer.NOT_YET, "repair-node-not-ready"),
        (lives(renewed=300), Answer.NOT_YET, "repair-lease-stale"),
        ({**lives(), "leases": ()}, Answer.NOT_YET, "repair-lease-stale"),
        ({**lives(), "leases": FAILED}, Answer.CANNOT_TELL, "section-failed"),
        ({**lives(), "leases": (), "gaps": {Section.LEASES: FAILED}}, Answer.CANNOT_TELL, "section-failed"),
        ({**lives(), "nodes": FAILED}, Answer.CANNOT_TELL, "section-failed"),
        ({**lives(), "nodes": ()}, Answer.NOT_YET, "repair-object-gone"),
        ({**lives(), "nodes": (), "gaps": {Section.NODES: FAILED}}, Answer.CANNOT_TELL, "section-failed"),
        (
            {**lives(), "nodes": (), "unreadable": (UnreadableObject(Section.NODES, "omen2"),)},
            Answer.CANNOT_TELL,
            "repair-object-unreadable",
        ),
    ],
)
def test_node_ready(sections: dict[str, Any], answer: Answer, why: str) -> None:
    said = asked(Probe.NODE_READY, cluster(**sections), lasting=120)
    assert (said.answer, said.why) == (answer, why)


def test_a_node_without_a_ready_condition_does_not_tell() -> None:
    bare = msgspec.structs.replace(node(), status=Node().status)
    assert asked(Probe.NODE_READY, cluster(nodes=(bare,))).answer is Answer.CANNOT_TELL


GPU = "nvidia.com/gpu"


@pytest.mark.parametrize(
    ("sections", "answer", "why"),
    [
        (lives(gpus={GPU: "1"}), Answer.HOLDS, "repair-offered-resource"),
        (lives(minutes=0, gpus={GPU: "1"}), Answer.HOLDS, "repair-offered-resource"),
        (lives(gpus={GPU: "0"}), Answer.NOT_YET, "repair-not-offered"),
        (lives(gpus={R5090: "1"}), Answer.NOT_YET, "repair-not-offered"),
        (lives("Unknown", gpus={GPU: "1"}), Answer.NOT_YET, "repair-offer-stale"),
        (lives(renewed=300, gpus={GPU: "1"}), Answer.NOT_YET, "repair-offer-stale"),
        ({**lives(gpus={GPU: "1"}), "leases": FAILED}, Answer.CANNOT_TELL, "section-failed"),
    ],
)
def test_resource_offered(sections: dict[str, Any], answer: Answer, why: str) -> None:
    said = asked(Probe.RESOURCE_OFFERED, cluster(**sections), resource=GPU)
    assert (said.answer, said.why) == (answer, why)


@pytest.mark.parametrize(
    ("unschedulable", "value", "held"), [(True, "true", True), (False, "true", False), (False, "false", True)]
)
def test_unschedulable(unschedulable: bool, value: str, held: bool) -> None:
    one = node()
    spec = msgspec.structs.replace(one.spec, unschedulable=unschedulable)
    picture = cluster(nodes=(msgspec.structs.replace(one, spec=spec),))
    assert asked(Probe.UNSCHEDULABLE_IS, picture, value=value).holds == held


@pytest.mark.parametrize(
    ("machines", "state", "answer"),
    [
        ((vm(),), "scheduled", Answer.NOT_YET),
        ((vm(status="Running"),), "scheduled", Answer.HOLDS),
        ((vm(status="Starting"),), "scheduled", Answer.NOT_YET),
        ((vm(status="Stopped"),), "scheduled", Answer.NOT_YET),
        ((vm(),), "down-by-choice", Answer.HOLDS),
        ((), "down-by-choice", Answer.NOT_YET),
        (FAILED, "scheduled", Answer.CANNOT_TELL),
        (FAILED, "down-by-choice", Answer.CANNOT_TELL),
        (NotInstalled("virtualmachines"), "scheduled", Answer.NOT_YET),
        ((vm(),), "asleep", Answer.CANNOT_TELL),
    ],
)
def test_machines(machines: object, state: str, answer: Answer) -> None:
    picture = cluster(nodes=(gpu_node(),), virtualmachines=machines)
    assert asked(Probe.VMS_SETTLED, picture, vms="vms/gpu-fedora", state=state).answer is answer


@pytest.mark.parametrize(("phase", "held"), [("Scheduled", True), ("Running", True), ("Scheduling", False)])
def test_a_machine_has_a_place_when_its_instance_has(phase: str, held: bool) -> None:
    picture = cluster(
        nodes=(gpu_node(),), virtualmachines=(vm(status="Starting"),), virtualmachineinstances=(vmi(phase=phase),)
    )
    assert asked(Probe.VMS_SETTLED, picture, vms="vm/vms/gpu-fedora").holds == held


def test_a_machine_that_somebody_stopped_waits_for_nothing() -> None:
    one = vm(status="Stopped")
    halted = msgspec.structs.replace(one, spec=msgspec.structs.replace(one.spec, run_strategy="Halted"))
    assert asked(Probe.VMS_SETTLED, cluster(nodes=(gpu_node(),), virtualmachines=(halted,)), vms="vms/gpu-fedora").holds


@pytest.mark.parametrize(
    ("machines", "why"),
    [
        ((vm(), vm("other", "Running")), "repair-vms-down-by-choice"),
        ((vm("gpu-fedora", "Running"), vm("other", "Running")), "repair-vms-placed"),
    ],
    ids=["one waits", "none waits"],
)
def test_only_machines_that_wait_are_called_down_by_choice(machines: object, why: str) -> None:
    picture = cluster(nodes=(gpu_node(),), virtualmachines=machines)
    said = asked(Probe.VMS_SETTLED, picture, vms="vms/gpu-fedora,vms/other", state="down-by-choice")
    assert (said.holds, said.why) == (True, why)


def test_every_machine_is_named_that_still_waits() -> None:
    picture = cluster(nodes=(gpu_node(),), virtualmachines=(vm(), vm("other", "Running"), vm("third")))
    said = asked(Probe.VMS_SETTLED, picture, vms="vms/gpu-fedora,vms/other,vms/third")
    assert (said.answer, said.values["waiting"]) == (Answer.NOT_YET, "gpu-fedora, third")


def test_without_names_the_machines_are_those_that_ask_for_the_nodes_card() -> None:
    picture = cluster(nodes=(gpu_node(),), virtualmachines=(vm(), vm("elsewhere", resource="nvidia.com/OTHER")))
    assert asked(Probe.VMS_SETTLED, picture).values["vms"] == "gpu-fedora"


def test_a_reference_that_is_none_is_not_followed() -> None:
    assert asked(Probe.VMS_SETTLED, cluster(), vms="gpu-fedora").why == "repair-probe-malformed"


def test_a_probe_says_since_when_it_saw_it() -> None:
    picture = cluster(nodes=(gpu_node(mode="container"),))
    (evidence,) = asked(Probe.LABEL_IS, picture, label=MODE, value="container").evidence
    assert evidence.last_seen == AT
