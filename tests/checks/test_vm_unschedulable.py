"""Which machines find no node, in which wording, and where they could live."""

from typing import Any

import pytest

from bot.checks.vm_unschedulable import CHECK, lacking, tainted
from bot.model.sections import Section
from tests.support.checked import ask, open_codes, said, the, the_blind
from tests.support.lab import R3090, R5090, cluster, gpu_node, node, pod, without
from tests.support.vms import NEW, OLD, dead_lab, vm, vmi

WAITING = ("vm-unschedulable", "vm/vms/gpu-fedora")
PINNED = ("vm-pinned", "vm/vms/gpu-fedora")


@pytest.mark.parametrize("words", [OLD, NEW], ids=["old wording", "wording of 1.36"])
def test_the_scheduler_is_understood(words: str) -> None:
    message = words.format(R5090)
    assert tainted(message) == 4
    assert lacking(message, R5090) == 3
    assert lacking(message, R3090) == 0


def test_several_taints_are_added_up() -> None:
    message = (
        "0/8 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, "
        "4 node(s) had untolerated taint {node.kubernetes.io/unreachable: }. preemption: none"
    )
    assert tainted(message) == 5


def test_fires_with_the_words_and_the_taints_of_the_nodes() -> None:
    found = the(ask(CHECK, dead_lab()), "vm-unschedulable")
    assert found.values == {"resource": R5090, "tainted": 4, "lacking": 3}
    assert [str(one) for one in found.refs["node"]] == ["node/omen2"]
    assert "node.kubernetes.io/unreachable:NoSchedule" in {one.quote for one in found.evidence}


@pytest.mark.parametrize("gone", [Section.VIRTUALMACHINES, Section.VIRTUALMACHINEINSTANCES])
def test_machine_or_instance_alone_suffices(gone: Section) -> None:
    assert said(ask(CHECK, without(dead_lab(), gone))) >= {WAITING, PINNED}


def test_without_both_it_cannot_tell() -> None:
    answers = ask(CHECK, without(dead_lab(), Section.VIRTUALMACHINES, Section.VIRTUALMACHINEINSTANCES))
    assert not answers.findings
    assert open_codes(answers) == {("vm-unschedulable", "cluster")}


@pytest.mark.parametrize("status", ["Running", "Paused", "Stopped", "Starting"])
def test_quiet(status: str) -> None:
    snapshot = dead_lab(virtualmachines=(vm(status=status),), virtualmachineinstances=())
    assert not ask(CHECK, snapshot).findings


def test_several_nodes_that_had_the_card_are_all_named() -> None:
    nodes = tuple(gpu_node(name, gpus={R3090: "1"}) for name in ("omen1", "omen3"))
    answers = ask(CHECK, dead_lab(nodes=nodes, virtualmachines=(vm(resource=R3090),), virtualmachineinstances=()))
    assert [str(one) for one in the(answers, "vm-tied").refs["node"]] == ["node/omen1", "node/omen3"]
    assert PINNED not in said(answers)


def test_a_number_that_fell_to_zero_was_still_advertised() -> None:
    answers = ask(CHECK, dead_lab(nodes=(gpu_node(gpus={R5090: "0"}),)))
    assert PINNED in said(answers)


def test_without_nodes_the_pin_is_not_told() -> None:
    answers = ask(CHECK, without(dead_lab(), Section.NODES))
    assert said(answers) == {WAITING}
    assert the_blind(answers).why == "no-advertiser-seen"
    assert the_blind(answers).sections == (Section.NODES,)


@pytest.mark.parametrize(("taken", "explained"), [(False, False), (True, True)])
def test_a_free_card_elsewhere_means_that_no_dead_node_explains_it(taken: bool, explained: bool) -> None:
    nodes = (gpu_node(), gpu_node("omen9", status="True"))
    holder = pod("other-vm", "omen9", requests={R5090: "1"}, namespace="vms")
    found = the(ask(CHECK, dead_lab(nodes=nodes, pods=(holder,) if taken else ())), "vm-unschedulable")
    assert bool(found.refs["node"]) is explained


def test_a_machine_without_a_device_is_tied_to_no_node() -> None:
    answers = ask(CHECK, dead_lab(virtualmachines=(vm("web", resource=""),), virtualmachineinstances=()))
    assert said(answers) == {("vm-unschedulable", "vm/vms/web")}
    assert the(answers, "vm-unschedulable").refs["node"] == ()


def test_an_instance_that_nobody_owns_is_asked_for_like_a_vm() -> None:
    snapshot = dead_lab(virtualmachines=(), virtualmachineinstances=(vmi(owned=False),))
    assert ("vm-unschedulable", "vm/vms/gpu-fedora") in said(ask(CHECK, snapshot))


@pytest.mark.parametrize(
    ("sections", "applies"),
    [
        pytest.param({"nodes": (node(),)}, False, id="no trace of KubeVirt"),
        pytest.param({"nodes": (node(labels={"kubevirt.io/schedulable": "true"}),)}, True, id="its label on a node"),
        pytest.param({"nodes": (node(),), "virtualmachines": (vm(),)}, True, id="an object of it"),
    ],
)
def test_applies_where_kubevirt_is(sections: dict[str, Any], applies: bool) -> None:
    assert CHECK.applies(cluster(**sections)) is applies
