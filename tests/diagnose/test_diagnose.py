"""Roots, blast radius, scope and verdict of whole diagnoses."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from bot.adapters.files.knowledge import load_knowledge
from bot.checks import CHECKS
from bot.diagnose.diagnose import diagnose
from bot.model.diagnosis import Diagnosis, Verdict
from bot.model.findings import Kind, Severity
from bot.model.refs import Ref
from bot.model.sections import NotInstalled, Section, UnreadableObject
from bot.model.snapshot import Snapshot
from tests.support.lab import AT, DOWN, R3090, R5090, ago, cluster, gpu_node, journal, lease, node, plugin, pod, policy
from tests.support.vms import dead_lab, kubevirt, vm, vmi

KNOWLEDGE = load_knowledge()
CHAIN = {"kubelet-swap-on", "kubelet-down", "node-not-ready", "gpu-not-offered", "vm-unschedulable"}
SWAP = journal(
    'E0710 15:39:51 run.go:72] err="failed to run Kubelet: running with swap on is not supported, please disable swap"'
)
NO_KARPENTER: dict[str, Any] = {"nodeclaims": NotInstalled("nodeclaims"), "nodepools": NotInstalled("nodepools")}


def answer(snapshot: Snapshot, *scope: str) -> Diagnosis:
    return diagnose(snapshot, CHECKS, KNOWLEDGE, tuple(Ref.parse(one) for one in scope or ("cluster",)))


def roots(found: Diagnosis) -> list[str]:
    return [f"{one.finding.code} {one.finding.subject}" for one in found.roots]


def healthy(**changes: Any) -> Snapshot:
    sections: dict[str, Any] = {
        "nodes": (gpu_node(status="True", heartbeat=ago(minutes=1)), node("worker1")),
        "leases": (lease(), lease("worker1")),
        "pods": (plugin(is_ready=True), pod("vfio", operand="vfio-manager")),
        "virtualmachines": (vm(status="Running"),),
        "virtualmachineinstances": (vmi(on="omen2", phase="Running"),),
        "kubevirts": (kubevirt(vm().devices[0]),),
        "clusterpolicies": (policy(),),
        **NO_KARPENTER,
    }
    return cluster(**{**sections, **changes})


def test_a_healthy_cluster_has_nothing_above_info() -> None:
    found = answer(healthy())
    assert found.verdict is Verdict.HEALTHY
    assert not found.roots
    assert not [one for one in found.findings if one.severity is not Severity.INFO]
    assert not found.blind


@pytest.mark.parametrize(
    ("message", "root"),
    [
        ("container runtime is down", "container-runtime-down node/omen2"),
        (
            "NetworkReady=false reason:NetworkPluginNotReady message:cni plugin not initialized",
            "cni-not-ready node/omen2",
        ),
    ],
)
def test_another_reason_is_not_called_swap(message: str, root: str) -> None:
    nodes = (gpu_node(status="False", message=message),)
    found = answer(dead_lab(nodes=nodes, leases=(lease(),), host_texts=()))
    assert roots(found) == [root]
    assert "kubelet-swap-on" not in {code for one in found.blind for code in one.codes}
    assert "vm/vms/gpu-fedora" in {str(subject) for _, subject in found.affected}


def test_the_certificate_is_the_root_and_not_swap() -> None:
    line = "E0710 15:39:51 bootstrap.go:265] part of the existing bootstrap client certificate is expired: 2026-07-09"
    assert roots(answer(dead_lab(host_texts=(journal(line),)))) == ["kubelet-certificate-expired node/omen2"]


def test_the_runtime_can_be_why_the_kubelet_is_dead() -> None:
    lines = "containerd[1]: containerd: drop-in config version 4 higher than root config version 2"
    kubelet = 'E0710 15:39:51 x.go:1] "dial unix /run/containerd/containerd.sock: connect: connection refused"'
    found = answer(dead_lab(host_texts=(journal(kubelet), journal(lines, unit="containerd"))))
    assert roots(found) == ["runtime-config-rejected node/omen2"]


def test_a_cause_that_was_not_seen_is_said_with_the_command() -> None:
    found = answer(dead_lab())
    [root] = found.roots
    assert str(root.finding.code) == "kubelet-down"
    assert not root.cause_seen
    assert "kubelet-swap-on" in root.open_causes
    assert "ssh omen2 sudo journalctl -u kubelet -b -n 50" in {one.command for one in found.blind}


BLANKS = [one for one in Section if one not in (Section.NODECLAIMS, Section.NODEPOOLS, Section.DEPLOYMENTS)]


@pytest.mark.parametrize("texts", [(SWAP,), ()], ids=["journal", "no journal"])
@pytest.mark.parametrize("gone", BLANKS)
def test_no_root_comes_from_outside_the_chain(gone: Section, texts: tuple[Any, ...]) -> None:
    whole = dead_lab(host_texts=texts, **NO_KARPENTER)
    found = answer(msgspec.structs.replace(whole, **{gone.value: Snapshot(at=AT).section(gone)}))
    assert found.verdict is Verdict.BROKEN
    assert {one.finding.code for one in found.roots} <= CHAIN
    if gone is not Section.NODES:
        assert roots(found) == (["kubelet-swap-on node/omen2"] if texts else ["kubelet-down node/omen2"])


OTHERS = (gpu_node("omen1", gpus={R3090: "1"}), gpu_node("omen3", gpus={R3090: "1"}))


def lab_of_three(**changes: Any) -> Snapshot:
    base = dead_lab()
    sections: dict[str, Any] = {
        "nodes": (*base.nodes, *OTHERS),  # type: ignore[misc]
        "pods": (plugin(), plugin("omen1"), plugin("omen3")),
        "virtualmachines": (vm(), vm("rhel9", resource=R3090)),
        "virtualmachineinstances": (),
        "kubevirts": (kubevirt(R5090, R3090),),
    }
    return dead_lab(**{**sections, **changes})


def test_other_dead_nodes_are_not_examined_and_not_explained() -> None:
    for texts in ((), (SWAP,)):
        found = answer(lab_of_three(host_texts=texts))
        assert [str(one.finding.subject) for one in found.roots] == ["node/omen2"]
        assert {str(subject) for _, subject in found.not_examined} == {"node/omen1", "node/omen3", "vm/vms/rhel9"}
        assert "vm/vms/rhel9" not in {str(subject) for _, subject in found.affected}


def test_where_nothing_tells_dead_nodes_apart_all_lead() -> None:
    found = answer(lab_of_three(virtualmachines=()))
    assert roots(found) == ["kubelet-down node/omen1", "kubelet-down node/omen2", "kubelet-down node/omen3"]


def test_an_object_asked_about_by_name_is_never_set_aside() -> None:
    found = answer(lab_of_three(host_texts=(SWAP,)), "node/omen2", "node/omen1")
    assert roots(found) == ["kubelet-swap-on node/omen2", "kubelet-down node/omen1"]


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ("vm/vms/gpu-fedora", ["kubelet-down node/omen2"]),
        ("vm/vms/rhel9", ["kubelet-down node/omen1", "kubelet-down node/omen3"]),
        ("node/omen3", ["kubelet-down node/omen3"]),
        ("pod/gpu-operator/sandbox-device-plugin-omen1", ["kubelet-down node/omen1"]),
        ("node/worker1", []),
    ],
)
def test_the_scope_chooses(scope: str, expected: list[str]) -> None:
    found = answer(lab_of_three(), scope)
    assert roots(found) == expected
    assert found.verdict is (Verdict.BROKEN if expected else Verdict.HEALTHY)


def test_a_machine_that_waited_before_the_node_died_waits_for_something_else() -> None:
    early = vm(since=DOWN - timedelta(days=1))
    found = answer(dead_lab(virtualmachines=(early,), virtualmachineinstances=()))
    assert "vm-unschedulable vm/vms/gpu-fedora" in roots(found)
    assert "vm/vms/gpu-fedora" not in {str(one.effect[1]) for one in found.links}


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        pytest.param({}, Verdict.HEALTHY, id="all read"),
        pytest.param({"nodes": Snapshot(at=AT).nodes}, Verdict.UNKNOWN, id="nodes missing"),
        pytest.param({"nodes": (node(status="Unknown"),), "leases": ()}, Verdict.BROKEN, id="dead node"),
        pytest.param(
            {"nodes": (node(status="Unknown"),), "pods": Snapshot(at=AT).pods, "leases": ()},
            Verdict.BROKEN,
            id="broken wins over unknown",
        ),
        pytest.param(
            {"unreadable": (UnreadableObject(Section.NODES, "odd"),)}, Verdict.UNKNOWN, id="an object that was not read"
        ),
        pytest.param(
            {"kubevirts": NotInstalled(), "virtualmachines": NotInstalled(), "virtualmachineinstances": NotInstalled()},
            Verdict.HEALTHY,
            id="what is not installed is no gap",
        ),
    ],
)
def test_the_verdict(changes: dict[str, Any], verdict: Verdict) -> None:
    assert answer(healthy(**changes)).verdict is verdict


def test_a_symptom_whose_causes_were_all_looked_at_and_not_found_is_no_seen_cause() -> None:
    early = vm(since=DOWN - timedelta(days=1))
    found = answer(dead_lab(virtualmachines=(early,), virtualmachineinstances=()))
    [symptom] = [one for one in found.roots if one.finding.code == "vm-unschedulable"]
    assert not symptom.cause_seen
    assert "resource-name-mismatch" in symptom.open_causes


def test_what_may_hang_on_a_leading_root_is_not_examined() -> None:
    """The list of nodes is not there, so nothing says which node the machine waits for."""
    without_nodes = dead_lab(nodes=Snapshot(at=AT).nodes)
    found = answer(without_nodes)
    assert roots(found) == ["kubelet-down node/omen2"]
    assert {str(subject) for _, subject in found.not_examined} == {"vm/vms/gpu-fedora"}
    asked = answer(without_nodes, "vm/vms/gpu-fedora")
    assert roots(asked) == ["vm-unschedulable vm/vms/gpu-fedora"]
    assert not asked.roots[0].cause_seen


def test_facts_and_warnings_never_lead() -> None:
    found = answer(dead_lab())
    quiet = {one.code for one in found.findings if one.kind is not Kind.FAULT}
    assert quiet
    assert not quiet & {one.finding.code for one in found.roots}
