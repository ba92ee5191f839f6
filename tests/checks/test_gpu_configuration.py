"""Axes: how many machines carry the mark, at once or one after the other; which message; what speaks of hardware;
what stands against the pattern."""

import pytest

from bot.checks import gpu_configuration, gpu_hardware
from bot.checks.views.hardware import FATAL_XIDS
from bot.model.findings import Kind
from bot.model.hosttext import HostSource, HostText, PodLog
from bot.model.refs import Ref
from bot.model.snapshot import Snapshot
from tests.support.replacement import (
    HOSTENGINE,
    LIBRARY,
    ask,
    blinds,
    cluster,
    codes,
    diagnosed,
    event,
    found,
    mark,
    node,
    old_dialect,
    pod,
)

CHECK = gpu_configuration.CHECK
GOOD = mark("True", minutes=50, reason="NvidiaGPUIsReady", message="")


def dmesg(name: str, xid: int) -> HostText:
    return HostText(node=name, source=HostSource.DMESG, text=f"[ 9.1] NVRM: Xid (PCI:0000:01:00): {xid}, pid=1, x")


def config(snapshot: Snapshot) -> set[str]:
    return {code for code, _ in codes(ask(CHECK, snapshot)) if code.startswith("dcgm-")}


@pytest.mark.parametrize(("message", "code"), [(LIBRARY, "dcgm-library-missing"), (HOSTENGINE, "dcgm-unreachable")])
def test_the_same_message_on_every_marked_node_is_configuration(message: str, code: str) -> None:
    answers = ask(CHECK, cluster(nodes=(node("n1", mark(message=message)), node("n2", mark(message=message)))))
    assert (code, "nodepool/gpu") in codes(answers)
    assert found(answers, "gpu-hardware").kind is Kind.RULED_OUT
    assert found(answers, "do-not-restart-monitor").kind is Kind.DO_NOT
    assert not blinds(answers)


def test_one_machine_after_the_other_is_configuration() -> None:
    snapshot = cluster(
        nodes=(node("n1", mark(message=HOSTENGINE), age=12.8),), events=old_dialect((25, 13), message=HOSTENGINE)
    )
    one = found(ask(CHECK, snapshot), "dcgm-unreachable")
    assert (one.values["machines"], one.values["generations"]) == (3, 3)


def test_a_missing_library_is_configuration_by_itself_but_excludes_no_hardware_alone() -> None:
    answers = ask(CHECK, cluster(nodes=(node("n1", mark()),)))
    assert ("dcgm-library-missing", "nodepool/gpu") in codes(answers)
    assert ("gpu-hardware", "nodepool/gpu") not in codes(answers)


@pytest.mark.parametrize(
    ("reason", "message"),
    [("DCGMError", HOSTENGINE), ("DCGMError", "failed to initialize DCGM: something new"), ("DCGMHealthCode122", "x")],
)
def test_one_node_cannot_be_told(reason: str, message: str) -> None:
    answers = ask(CHECK, cluster(nodes=(node("n1", mark(reason=reason, message=message)),)))
    assert codes(answers) == set()
    (blind,) = blinds(answers)
    assert (blind.why, str(blind.subject)) == ("gpu-cause-unclear", "node/n1")
    assert "dmesg" in blind.command


def test_a_settled_node_of_the_same_image_stands_against_it() -> None:
    nodes = (node("n1", mark()), node("n2", mark()), node("n3", GOOD))
    answers = ask(CHECK, cluster(nodes=nodes))
    assert codes(answers) == set()
    assert {str(one.subject) for one in blinds(answers)} == {"node/n1", "node/n2"}


@pytest.mark.parametrize(
    "peer",
    [
        node("young", mark("True", minutes=1, reason="NvidiaGPUIsReady"), age=2),
        node("other-image", GOOD, image="Amazon Linux 2023"),
        node("other-pool", GOOD, pool="cpu"),
        node("no-monitor"),
    ],
    ids=lambda one: one.name,
)
def test_a_node_that_proves_nothing_does_not_stand_against_it(peer: object) -> None:
    assert config(cluster(nodes=(node("n1", mark()), node("n2", mark()), peer))) == {"dcgm-library-missing"}


def test_one_node_with_xid_lines_is_hardware_and_not_configuration() -> None:
    snapshot = cluster(nodes=(node("n1", mark()),), host_texts=(dmesg("n1", 79),))
    assert ask(CHECK, snapshot) == []
    (root,) = diagnosed(snapshot).roots
    assert (root.finding.code, str(root.finding.subject)) == ("gpu-hardware-fault", "node/n1")


@pytest.mark.parametrize("broken", ["n1", "gone-0"], ids=["a node that is there", "one that went"])
def test_where_the_others_show_the_pattern_it_stands_but_hardware_is_not_ruled_out(broken: str) -> None:
    nodes = (node("n1", mark(), age=12), node("n2", mark(), age=12))
    snapshot = cluster(nodes=nodes, events=old_dialect((25, 13)), host_texts=(dmesg(broken, 79),))
    answers = ask(CHECK, snapshot)
    assert ("gpu-hardware", "nodepool/gpu") not in codes(answers)
    one = found(answers, "dcgm-library-missing")
    assert {"node/n1", "node/n2"} <= {str(ref) for ref in one.refs["node"]}
    diagnosis = diagnosed(snapshot)
    linked = {(link.cause[0], str(link.effect[1])) for link in diagnosis.links}
    assert ("dcgm-library-missing", "node/n1") in linked
    assert {root.finding.code for root in diagnosis.roots} - {"dcgm-library-missing"} == (
        {"gpu-hardware-fault"} if broken == "n1" else set()
    )


@pytest.mark.parametrize(
    ("image", "host"), [("Bottlerocket OS 1.39.1", " (Bottlerocket OS 1.39.1, arm64)"), ("", " (arm64)")]
)
def test_the_host_is_named_as_far_as_it_is_known(image: str, host: str) -> None:
    answers = ask(CHECK, cluster(nodes=(node("n1", mark(), image=image),)))
    assert found(answers, "dcgm-library-missing").values["host"] == host


@pytest.mark.parametrize(("marks", "is_known"), [(True, True), (False, False)], ids=["of every turn", "of the last"])
def test_since_when_is_known_only_where_the_oldest_mark_is_as_old_as_the_loop(marks: bool, is_known: bool) -> None:
    snapshot = cluster(nodes=(node("n1", mark(), age=12),), events=old_dialect((25, 13), marks=marks))
    assert (found(ask(CHECK, snapshot), "dcgm-library-missing").onset is not None) is is_known


def test_an_xid_of_the_application_is_not_hardware() -> None:
    snapshot = cluster(nodes=(node("n1", mark()),), host_texts=(dmesg("n1", 13),))
    assert config(snapshot) == {"dcgm-library-missing"}


@pytest.mark.parametrize("xid", sorted(FATAL_XIDS))
def test_check_and_signature_know_the_same_xids(xid: int) -> None:
    snapshot = cluster(nodes=(node("n1", mark(message=HOSTENGINE)),), host_texts=(dmesg("n1", xid),))
    assert [root.finding.code for root in diagnosed(snapshot).roots] == ["gpu-hardware-fault"]


@pytest.mark.parametrize("xid", [8, 13, 31, 43, 45, 68, 94, 790])
def test_neither_takes_other_xids_for_hardware(xid: int) -> None:
    snapshot = cluster(nodes=(node("n1", mark(message=HOSTENGINE)),), host_texts=(dmesg("n1", xid),))
    assert [root.finding.code for root in diagnosed(snapshot).roots] == ["gpu-condition-false"]


@pytest.mark.parametrize(
    "reason", ["NvidiaXID79Error", "NvidiaDoubleBitError", "NvidiaNVLinkError", "NvidiaFabricError"]
)
def test_the_monitor_names_the_hardware(reason: str) -> None:
    snapshot = cluster(nodes=(node("n1", mark(reason=reason, message="x")), node("n2", GOOD)))
    assert codes(ask(gpu_hardware.CHECK, snapshot)) == {("gpu-hardware-fault", "node/n1")}
    assert ask(CHECK, snapshot) == []
    assert [root.finding.code for root in diagnosed(snapshot).roots] == ["gpu-hardware-fault"]


@pytest.mark.parametrize(("message", "hits"), [("NvidiaXID79Error: gone", 1), ("NvidiaXID43Warning: app", 0)])
def test_the_monitors_events_name_the_hardware_too(message: str, hits: int) -> None:
    told = event("Node", "n1", "AcceleratedHardwareReady", 3, message, source="eks-node-monitoring-agent")
    snapshot = cluster(nodes=(node("n1", mark(message=HOSTENGINE)),), events=(told,))
    assert len(codes(ask(gpu_hardware.CHECK, snapshot))) == hits


def test_a_broken_node_beside_a_fault_of_configuration_keeps_its_own_root() -> None:
    nodes = (node("n1", mark()), node("n2", mark()), node("n3", mark(reason="NvidiaXID79Error", message="x")))
    diagnosis = diagnosed(cluster(nodes=nodes))
    causes = {(cause[0], str(effect[1])) for cause, effect in ((o.cause, o.effect) for o in diagnosis.links)}
    assert {(root.finding.code) for root in diagnosis.roots} == {"dcgm-library-missing", "gpu-hardware-fault"}
    assert ("gpu-hardware-fault", "node/n3") in causes
    assert ("dcgm-library-missing", "node/n3") not in causes


def test_the_monitors_own_log_stands_between() -> None:
    line = (
        '{"level":"error","ts":"2025-06-11T08:57:23Z","msg":"failed to reconcile DCGM state","hostname":"n1",'
        f'"monitor":"nvidia","error":"{HOSTENGINE}"}}'
    )
    snapshot = cluster(
        nodes=(node("n1", mark(message=HOSTENGINE)), node("n2", mark(message=HOSTENGINE))),
        pods=(pod("agent-1", "n1", age=50, owner="DaemonSet", owner_name="eks-node-monitoring-agent"),),
        pod_logs=(PodLog(pod=Ref("pod", "agent-1", "training"), container="agent", text=line),),
    )
    links = {(one.cause[0], one.effect[0]) for one in diagnosed(snapshot).links}
    assert {("dcgm-unreachable", "monitor-dcgm-failed"), ("monitor-dcgm-failed", "gpu-condition-false")} <= links
