"""Axes: what is asked, what the first answers hold, which read fails, what a finding asks for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bot.adapters.files.hosts import GivenTexts
from bot.app.investigate import Investigator
from bot.app.ports import NoSuchObject
from bot.app.reads import SUSPECTS
from bot.checks.check import Check
from bot.knowledge.base import Knowledge
from bot.knowledge.signatures import Signature
from bot.model.diagnosis import Verdict
from bot.model.findings import Blind, Code, Finding, Kind
from bot.model.hosttext import HostSource, HostText, PodLog
from bot.model.moment import Moment
from bot.model.refs import CLUSTER, Ref
from bot.model.report import MomentSource
from bot.model.sections import Section
from bot.model.snapshot import Snapshot, known
from tests.support.clusters import FAILED, NOW, FixedClock, MemoryCluster
from tests.support.objects import event, node, thing

DOWN = Code("node-down")


def nodes_down(snapshot: Snapshot) -> Iterator[Finding | Blind]:
    for one in known(snapshot.nodes):
        if one.ready and one.ready.status != "True":
            yield Finding(code=DOWN, subject=Ref("node", one.name))


def pods_failed(snapshot: Snapshot) -> Iterator[Finding | Blind]:
    for one in known(snapshot.pods):
        if one.status.phase == "Failed":
            pod = Ref("pod", one.name, one.namespace)
            yield Finding(code=Code("pod-failed"), subject=pod, refs={"node": (Ref("node", one.spec.node_name),)})


CHECKS = (
    Check(name="nodes", codes=(DOWN,), reads=(Section.NODES,), run=nodes_down),
    Check(name="pods", codes=(Code("pod-failed"),), reads=(Section.PODS,), run=pods_failed),
)
SIGNATURES = (
    Signature(code="swap-on", source="journal:kubelet", pattern="swap"),
    Signature(code="log-tells", source="log", pattern="libdcgm"),
    Signature(code="event-tells", source="event", pattern="blocked"),
)


def pod(name: str, on: str, phase: str = "Running", **status: Any) -> dict[str, Any]:
    return thing("Pod", name, "ml", spec={"nodeName": on}, status={"phase": phase, **status})


def investigator(cluster: MemoryCluster, *texts: HostText) -> Investigator:
    return Investigator(
        cluster=cluster,
        hosts=GivenTexts(texts),
        clock=FixedClock(),
        checks=CHECKS,
        knowledge=Knowledge(signatures=SIGNATURES),
    )


def codes(cluster: MemoryCluster, *scope: str) -> set[str]:
    found = investigator(cluster).investigate([Ref.parse(one) for one in scope])
    return {f"{one.code} {one.subject}" for one in found.diagnosis.findings}


def selectors(cluster: MemoryCluster, section: Section) -> list[str]:
    return [one.field_selector for one in cluster.asked if one.section is section]


@pytest.mark.parametrize(
    "scope", ["cluster", "node/a", "vm/vms/a", "pod/ml/a", "nodeclaim/a", "nodepool/a", "deploy/ml/a", "job/ml/a"]
)
def test_a_question_is_a_few_small_requests(scope: str) -> None:
    ref = Ref.parse(scope)
    kind = {"vm": "VirtualMachine", "deploy": "Deployment", "nodeclaim": "NodeClaim", "nodepool": "NodePool"}
    about = event(kind.get(ref.kind, ref.kind.capitalize()), ref.name, ref.namespace, "x", type="Warning")
    cluster = MemoryCluster(about)
    investigator(cluster).investigate([ref])
    assert 8 <= len(cluster.asked) <= 16
    assert len(set(cluster.asked)) == len(cluster.asked)
    whole = {one.section for one in cluster.asked if one == type(one)(section=one.section)}
    assert not whole & {Section.PODS, Section.EVENTS}
    assert {one.section for one in cluster.asked} == set(Section)


def test_none_asked_means_the_whole_cluster() -> None:
    found = investigator(MemoryCluster()).investigate()
    assert (found.diagnosis.scope, found.cluster) == ((CLUSTER,), "lab")


def test_ages_count_from_the_clock_or_from_the_moment_that_is_given() -> None:
    asked = Moment(NOW.replace(year=2025), MomentSource.ASKED)
    one = investigator(MemoryCluster())
    assert one.investigate().moment == Moment(NOW, MomentSource.NOW)
    assert (one.investigate((), asked).moment, one.investigate((), asked).diagnosis.at) == (asked, asked.at)


def test_pods_and_events_of_a_suspect_node_are_read_and_checked() -> None:
    cluster = MemoryCluster(node("a", "Unknown"), node("b"), pod("p", "a", "Failed"), pod("q", "b", "Failed"))
    assert "pod-failed pod/ml/p" in codes(cluster, "node/a")
    assert "spec.nodeName=b" not in selectors(cluster, Section.PODS)
    cluster = MemoryCluster(node("a", "Unknown"), node("b"))
    codes(cluster, "cluster")
    assert "spec.nodeName=a" in selectors(cluster, Section.PODS)
    assert "involvedObject.kind=Node,involvedObject.name=a" in selectors(cluster, Section.EVENTS)


def test_of_many_suspects_some_are_read_closely_and_the_rest_is_said() -> None:
    cluster = MemoryCluster(*(node(f"n{number:02}", "Unknown") for number in range(SUSPECTS + 1)))
    found = investigator(cluster).investigate()
    assert len([one for one in selectors(cluster, Section.PODS) if one.startswith("spec.")]) == SUSPECTS
    assert [str(one.values["detail"]) for one in found.diagnosis.blind] == [
        f"suspects-in-part {SUSPECTS}/{SUSPECTS + 1}"
    ]


def test_the_story_of_a_pool_is_read_when_a_suspect_is_of_one() -> None:
    pooled = node("a", "False", labels={"karpenter.sh/nodepool": "gpu"})
    cluster = MemoryCluster(pooled, event("NodeClaim", "gpu-1", "", "repair is blocked"))
    assert "event-tells nodeclaim/gpu-1" in codes(cluster, "node/a")
    cluster = MemoryCluster(node("a", "False"))
    codes(cluster, "node/a")
    assert "involvedObject.kind=NodeClaim" not in selectors(cluster, Section.EVENTS)


def operand(ready: int) -> dict[str, Any]:
    owner = {"ownerReferences": [{"kind": "ClusterPolicy", "name": "x"}]}
    status = {"desiredNumberScheduled": 2, "numberReady": ready}
    return thing("DaemonSet", "plugin", "gpu-operator", api="apps/v1", meta=owner, status=status)


@pytest.mark.parametrize(("ready", "read"), [(2, False), (1, True)])
def test_an_operand_that_falls_short_has_its_namespace_read(ready: int, read: bool) -> None:
    cluster = MemoryCluster(operand(ready))
    codes(cluster, "cluster")
    assert ("gpu-operator" in {one.namespace for one in cluster.asked}) is read


CRASHING = {
    "containerStatuses": [
        {"name": "main", "restartCount": 3, "state": {"waiting": {"reason": "CrashLoopBackOff"}}},
        {"name": "well", "ready": True},
    ]
}


def crashing(ready: str) -> MemoryCluster:
    log = PodLog(pod=Ref("pod", "p", "ml"), container="main", text="libdcgm.so not Found", previous=True)
    return MemoryCluster(node("a", ready), pod("p", "a", "Running", **CRASHING), logs=[log])


def test_the_logs_of_failing_containers_are_read_in_both_runs() -> None:
    cluster = crashing("False")
    assert "log-tells pod/ml/p" in codes(cluster, "node/a")
    assert [(container, previous) for _, container, previous in cluster.logs_asked] == [("main", False), ("main", True)]


def test_no_log_is_asked_of_a_silent_kubelet() -> None:
    cluster = crashing("Unknown")
    codes(cluster, "node/a")
    assert cluster.logs_asked == []


def test_a_pod_that_a_finding_is_about_has_all_its_logs_read() -> None:
    statuses = [{"name": "one", "ready": True}, {"name": "two", "ready": True}]
    cluster = MemoryCluster(node("a"), pod("p", "a", "Failed", containerStatuses=statuses))
    codes(cluster, "pod/ml/p")
    assert [container for _, container, _ in cluster.logs_asked] == ["one", "two"]


def test_a_fault_of_the_node_belongs_to_the_question_about_a_pod_on_it() -> None:
    found = investigator(MemoryCluster(node("a", "Unknown"), pod("p", "a"))).investigate([Ref("pod", "p", "ml")])
    assert (found.diagnosis.verdict, found.diagnosis.scope[1:]) == (Verdict.BROKEN, (Ref("node", "a"),))
    found = investigator(MemoryCluster(node("a"), pod("p", "a"))).investigate([Ref("pod", "p", "ml")])
    assert (found.diagnosis.verdict, found.diagnosis.scope[1:]) == (Verdict.HEALTHY, ())


def test_a_text_of_a_host_is_evidence_about_its_node() -> None:
    text = HostText(node="a", source=HostSource.JOURNAL, unit="kubelet", text="running with swap on")
    found = investigator(MemoryCluster(node("a.lab")), text).investigate()
    assert {(one.code, one.subject) for one in found.diagnosis.findings} == {("swap-on", Ref("node", "a.lab"))}


@pytest.mark.parametrize("section", list(Section))
def test_a_failed_read_is_never_healthy(section: Section) -> None:
    reading = Check(name="reads", codes=(DOWN,), reads=(section,), run=lambda _snapshot: ())
    one = Investigator(
        cluster=MemoryCluster(answer=lambda read: FAILED if read.section is section else None),
        hosts=GivenTexts(()),
        clock=FixedClock(),
        checks=(reading,),
        knowledge=Knowledge(),
    )
    assert one.investigate().diagnosis.verdict is Verdict.UNKNOWN


def test_a_later_read_that_fails_takes_nothing_away_and_rules_nothing_out() -> None:
    def answer(read: Any) -> Any:
        return FAILED if read.field_selector == "spec.nodeName=a" else None

    found = investigator(MemoryCluster(node("a", "Unknown"), pod("p", "b", "Failed"), answer=answer)).investigate()
    assert {str(one.code) for one in found.diagnosis.findings if one.kind is Kind.FAULT} == {"node-down", "pod-failed"}
    assert [one.why for one in found.diagnosis.blind] == ["section-in-part"]


def test_a_name_without_a_trace_is_refused_before_anything_else_is_read() -> None:
    cluster = MemoryCluster(node("a", "Unknown"))
    with pytest.raises(NoSuchObject, match="node/omen9"):
        investigator(cluster).investigate([Ref("node", "omen9")])
    assert "spec.nodeName=a" not in selectors(cluster, Section.PODS)
