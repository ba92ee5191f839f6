"""Axes: kind of a statement, what was asked about, how grave, how near to the chain, what values it carries."""

from __future__ import annotations

import msgspec
import pytest

from bot.model.diagnosis import Diagnosis, Verdict
from bot.model.findings import Kind, Severity
from bot.model.refs import CLUSTER, Ref, node
from bot.model.report import MomentSource
from bot.narrate.report import report
from tests.support.answers import (
    AT,
    DOWN,
    KUBELET,
    NODE,
    OMEN2,
    PENDING,
    VM,
    codes,
    finding,
    told,
    with_journal,
    without_journal,
    words,
)


@pytest.mark.parametrize(
    ("scope", "hazards", "acting", "beside"),
    [
        ((CLUSTER,), ["node/omen2", "node/omen9"], ["nodepool/far"], set()),
        ((OMEN2,), ["node/omen2"], [], {"node/omen3", "node/omen9", "nodepool/far"}),
        ((VM,), ["node/omen2"], [], {"node/omen3", "node/omen9", "nodepool/far"}),
    ],
    ids=["cluster", "node", "vm"],
)
def test_only_what_touches_the_question_is_said(
    scope: tuple[Ref, ...], hazards: list[str], acting: list[str], beside: set[str]
) -> None:
    said = told(without_journal(scope))
    assert [one.subject for one in said.do_not] == hazards
    assert [one.subject for one in said.others_acting] == acting
    assert codes(said.facts) == ["vm-pinned vm/vms/gpu-fedora"]
    assert codes(said.ruled_out) == ["permitted-devices kubevirt/kubevirt/kubevirt"]
    assert codes(said.proves_nothing) == ["clusterpolicy-ready clusterpolicy/cluster-policy"]
    assert codes(said.not_examined) == ["kubelet-down node/omen3"]
    assert len(said.findings) + len(said.elsewhere) == len(without_journal().findings)
    assert {one.subject for one in said.elsewhere} == beside


def test_kinds_do_not_mix() -> None:
    said = told(with_journal())
    for many, kind in ((said.facts, Kind.FACT), (said.do_not, Kind.DO_NOT), (said.ruled_out, Kind.RULED_OUT)):
        assert {one.kind for one in many} == {kind}


def test_hazards_near_the_chain_come_first_then_the_worst_then_as_the_catalogue_has_them() -> None:
    far, near = node("omen9"), OMEN2
    made = [
        finding("do-not-force-delete", far, Kind.DO_NOT, severity=Severity.CRITICAL),
        finding("do-not-restart-operands", near, Kind.DO_NOT, severity=Severity.WARNING),
        finding("do-not-force-delete", near, Kind.DO_NOT, severity=Severity.CRITICAL),
        finding("do-not-start-kubelet", near, Kind.DO_NOT, severity=Severity.CRITICAL),
    ]
    order = ("do-not-start-kubelet", "do-not-force-delete")
    catalogue = msgspec.structs.replace(words(), codes={code: words().codes[DOWN] for code in (*order, DOWN)})
    diagnosis = msgspec.structs.replace(without_journal(), findings=(*without_journal().findings[:4], *made))
    said = report(diagnosis, catalogue, cluster="lab", at_source=MomentSource.NOW)
    assert codes(said.do_not) == [
        "do-not-start-kubelet node/omen2",
        "do-not-force-delete node/omen2",
        "do-not-restart-operands node/omen2",
        "do-not-force-delete node/omen9",
    ]


@pytest.mark.parametrize(
    ("scope", "order"),
    [
        ((CLUSTER,), ["vm/b", "vm/a", "pod/c", "node/omen2"]),
        ((Ref("vm", "a"),), ["vm/a", "vm/b", "pod/c", "node/omen2"]),
        ((OMEN2,), ["vm/b", "vm/a", "pod/c", "node/omen2"]),
    ],
    ids=["the worst", "what was asked about", "a node is not what people miss"],
)
def test_affected_starts_with_what_people_miss(scope: tuple[Ref, ...], order: list[str]) -> None:
    made = (
        finding("operands-stuck", OMEN2),
        finding(PENDING, Ref("vm", "a"), severity=Severity.WARNING),
        finding(PENDING, Ref("vm", "b")),
        finding("workload-disrupted", Ref("pod", "c"), severity=Severity.WARNING),
    )
    diagnosis = msgspec.structs.replace(
        without_journal(scope),
        findings=(KUBELET, *made),
        links=(),
        not_examined=(),
        affected=tuple(o.key for o in made),
    )
    assert [one.subject for one in told(diagnosis).affected] == order


@pytest.mark.parametrize("kind", [one for one in Kind if one is not Kind.FAULT])
def test_only_a_fault_is_more_than_information(kind: Kind) -> None:
    made = finding("do-not-start-kubelet", OMEN2, kind, severity=Severity.CRITICAL)
    said = told(Diagnosis(at=AT, scope=(CLUSTER,), verdict=Verdict.HEALTHY, findings=(made,)))
    assert [one.severity for one in said.findings] == [Severity.INFO]


def test_what_not_to_do_says_what_and_why() -> None:
    (first, *_) = told(with_journal()).do_not
    assert (first.what, first.why) == (first.title, "vfio-manager would take the card.")


@pytest.mark.parametrize("judged", [True, False])
def test_findings_are_what_the_verdict_was_judged_by(judged: bool) -> None:
    healthy = Diagnosis(
        at=AT,
        scope=(node("worker1"),),
        verdict=Verdict.BROKEN if judged else Verdict.HEALTHY,
        findings=(KUBELET,),
        judged=frozenset({KUBELET.key}) if judged else frozenset(),
    )
    said = told(healthy)
    assert [one.code for one in said.findings] == ([DOWN] if judged else [])
    assert [one.code for one in said.elsewhere] == ([] if judged else [DOWN])


def test_values_and_related_objects_are_for_machines() -> None:
    deletion = finding(
        "next-deletion", OMEN2, Kind.FACT, values={"at": AT, "count": 4}, refs={"nodepool": (Ref("nodepool", "gpu"),)}
    )
    said = told(Diagnosis(at=AT, scope=(CLUSTER,), verdict=Verdict.HEALTHY, findings=(deletion,)))
    assert said.facts[0].values == {"at": "2026-10-30T15:39:51Z", "count": 4}
    assert said.facts[0].refs == {"nodepool": ("nodepool/gpu",)}


def test_what_moves_comes_first_among_the_circumstances() -> None:
    pool = Ref("nodepool", "gpu")
    order = ["replacements", "next-deletion", "repair-policy", "repair-gate"]
    made = tuple(finding(one, pool, Kind.FACT) for one in reversed(order))
    said = told(Diagnosis(at=AT, scope=(CLUSTER,), verdict=Verdict.HEALTHY, findings=made))
    assert [one.code for one in said.facts][:2] == order[:2]


def test_an_affected_object_stands_there_once() -> None:
    made = (finding("operands-stuck", OMEN2, severity=Severity.WARNING), NODE)
    diagnosis = msgspec.structs.replace(
        without_journal(), findings=(KUBELET, *made), links=(), not_examined=(), affected=tuple(o.key for o in made)
    )
    assert codes(told(diagnosis).affected) == ["node-not-ready node/omen2"]
