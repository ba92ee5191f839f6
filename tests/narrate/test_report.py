"""Axes: cause seen or not, scope (cluster, node, a stranger), verdict, language, words that are missing."""

from __future__ import annotations

from datetime import datetime

import msgspec
import pytest

from bot.knowledge.words import CodeWords
from bot.model.diagnosis import Certainty, Diagnosis, Root, Verdict
from bot.model.findings import Blind, Code, Finding, Kind, Onset, Severity
from bot.model.refs import CLUSTER, Ref, node
from bot.model.report import MomentSource, Statement
from bot.narrate.phrases import quoted
from bot.narrate.report import report
from tests.support.answers import (
    AT,
    DOWN,
    DOWN_SINCE,
    GAPS,
    JOURNAL,
    KUBELET,
    NODE,
    NOT_READY,
    OMEN2,
    PENDING,
    SWAP,
    VM,
    finding,
    seen,
    told,
    with_journal,
    without_journal,
    words,
)

ONE_NODE = (OMEN2,)


def codes(statements: tuple[Statement, ...]) -> list[str]:
    return [f"{one.code} {one.subject}" for one in statements]


def test_the_chain_runs_from_the_root_to_the_leaves() -> None:
    said = told(with_journal())
    assert [(one.cause, one.effect) for one in said.chain] == [(SWAP, DOWN), (DOWN, NOT_READY), (NOT_READY, PENDING)]
    assert said.chain[-1].why == "Only omen2 has ever offered nvidia.com/GB202_GEFORCE_RTX_5090."
    assert [one.object for one in said.chain[-1].evidence] == ["node/omen2", "vm/vms/gpu-fedora"]


def test_an_unseen_cause_is_said_and_the_command_that_settles_it_comes_first_and_once() -> None:
    said = told(without_journal())
    assert not said.roots[0].cause_seen
    assert said.headline == "Cause not seen: The kubelet of omen2 is down; VM gpu-fedora cannot be scheduled"
    assert [one.command for one in said.not_seen] == [JOURNAL, "kubectl get nodepools -A -o yaml"]
    assert said.not_seen[0].codes == (SWAP, "kubelet-certificate-expired")
    assert said.not_seen[0].what == "omen2: whether swap is on; whether the certificate has expired"
    assert said.not_seen[0].why == "journal:kubelet was not there to read"
    assert said.next_step == JOURNAL


def test_a_seen_cause_leads_to_its_runbook() -> None:
    said = report(
        with_journal(), words(), cluster="lab", at_source=MomentSource.NOW, runbooks={SWAP: "kubelet-swap-on"}
    )
    assert (said.roots[0].cause_seen, said.roots[0].runbook) == (True, "kubelet-swap-on")
    assert said.next_step == "kubelet-swap-on"


def test_a_root_whose_beginning_is_not_known_counts_from_its_oldest_effect_and_says_so() -> None:
    root = told(with_journal()).roots[0]
    assert root.since == DOWN_SINCE
    assert (root.since_source, root.since_code, root.since_subject) == (
        "lease spec.renewTime",
        "kubelet-down",
        "node/omen2",
    )
    assert root.lasted == "111 days"


def test_who_pasted_it_stands_on_the_quote_and_in_a_sentence() -> None:
    said = told(with_journal())
    assert said.roots[0].evidence[0].reported_by == "U0ONCALL"
    assert said.reported_by == ("journal:kubelet of node/omen2 was pasted by U0ONCALL; the bot did not read it itself",)


@pytest.mark.parametrize(
    ("scope", "hazards", "acting", "beside"),
    [
        ((CLUSTER,), ["node/omen2", "node/omen9"], ["nodepool/far"], set()),
        (ONE_NODE, ["node/omen2"], [], {"node/omen3", "node/omen9", "nodepool/far"}),
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


def test_gaps_of_other_nodes_are_told_only_where_the_whole_cluster_was_asked_about() -> None:
    other = msgspec.structs.replace(GAPS[1], subject=node("omen3"), command="ssh omen3 journalctl")
    asked = msgspec.structs.replace(without_journal(ONE_NODE), blind=(other, *GAPS))
    assert "ssh omen3 journalctl" not in [one.command for one in told(asked).not_seen]
    assert "ssh omen3 journalctl" in [
        one.command for one in told(msgspec.structs.replace(asked, scope=(CLUSTER,))).not_seen
    ]


def test_an_inferred_finding_shows_a_sign_where_nobody_saw_a_value() -> None:
    guess = Finding(code=Code(PENDING), subject=VM)
    said = told(
        msgspec.structs.replace(
            without_journal(),
            findings=(*[one for one in without_journal().findings if one.code != PENDING], guess),
            inferred=frozenset({guess.key}),
        )
    )
    assert (said.affected[0].certainty, said.affected[0].why) == (Certainty.INFERRED, "It needs …, and … is down.")


def test_codes_links_and_reasons_without_words_are_shown_by_their_names() -> None:
    bare = msgspec.structs.replace(words(), codes={}, links={}, reasons={})
    said = report(without_journal(), bare, cluster="lab", at_source=MomentSource.ASKED)
    assert said.not_seen[0].what == "omen2: kubelet-swap-on; kubelet-certificate-expired"
    assert said.roots[0].title == "kubelet-down (node/omen2)"
    assert said.chain[0].why == ""
    assert said.not_seen[0].why == "text-missing"


@pytest.mark.parametrize(
    ("verdict", "headline"),
    [
        (Verdict.HEALTHY, "Nothing is wrong in what was looked at."),
        (Verdict.UNKNOWN, "Could not tell: what has to be looked at and was not: 1."),
        (Verdict.BROKEN, "Something is wrong, but no root was found for it."),
    ],
)
def test_answers_without_a_root(verdict: Verdict, headline: str) -> None:
    said = told(Diagnosis(at=AT, scope=(CLUSTER,), verdict=verdict, blind=GAPS[:1]))
    assert (said.headline, said.roots, said.chain) == (headline, (), ())
    assert said.next_step == ("kubectl get nodepools -A -o yaml" if verdict is Verdict.UNKNOWN else "")


def test_a_section_that_was_not_read_names_what_it_leaves_open() -> None:
    many = tuple(Code(f"question-{letter}") for letter in "abcde")
    blind = Blind(
        check="x", codes=many, subject=CLUSTER, why="section-failed", values={"section": "nodes", "detail": ""},
        sections=GAPS[0].sections, command="kubectl get nodes",
    )  # fmt: skip
    said = told(Diagnosis(at=AT, scope=(CLUSTER,), verdict=Verdict.UNKNOWN, blind=(blind,)))
    assert said.not_seen[0].what.startswith("nodepools not read, so open: question-a")
    assert said.not_seen[0].what.endswith("(and 2 more)")
    assert said.not_seen[0].codes == many
    assert said.not_seen[0].why == "reading nodes failed"


def test_what_two_roots_share_is_linked_once_from_each() -> None:
    second = finding("kubelet-certificate-expired", OMEN2)
    both = msgspec.structs.replace(
        without_journal(),
        roots=(Root(finding=KUBELET), Root(finding=second)),
        findings=(second, *without_journal().findings),
        links=(
            *without_journal().links,
            msgspec.structs.replace(without_journal().links[1], cause=second.key),
        ),
    )
    said = told(both)
    assert len(said.chain) == len(set(said.chain)) == 3
    assert said.headline.startswith("Root: The kubelet of omen2 is down (and 1 more); VM gpu-fedora")


def test_names_are_never_translated() -> None:
    said = told(without_journal(), "ko")
    assert said.roots[0].title == "omen2의 kubelet이 멈춤"
    assert said.affected[0].why == "nvidia.com/GB202_GEFORCE_RTX_5090가 필요하지만 omen2가 멈춰 있습니다."
    assert said.lang == "ko"


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


@pytest.mark.parametrize(
    ("subject", "severity", "told_of"),
    [(OMEN2, Severity.WARNING, ""), (OMEN2, Severity.CRITICAL, "; omen2 is gone"), (VM, Severity.WARNING, "; gpu-f")],
    ids=["only pods of the operator", "a node itself", "a VM"],
)
def test_the_headline_names_nothing_that_nobody_misses(subject: Ref, severity: Severity, told_of: str) -> None:
    leaf = finding("vm-pinned", subject, severity=severity)
    catalogue = msgspec.structs.replace(
        words(), codes={**words().codes, "vm-pinned": CodeWords(title="{name} is gone")}
    )
    diagnosis = msgspec.structs.replace(
        without_journal(), findings=(KUBELET, leaf), links=(), not_examined=(), affected=(leaf.key,)
    )
    said = report(diagnosis, catalogue, cluster="lab", at_source=MomentSource.NOW).headline
    assert said.startswith(f"Cause not seen: The kubelet of omen2 is down{told_of}")
    assert said.endswith("down") is not bool(told_of)


def test_the_headline_says_how_long() -> None:
    stuck = finding(PENDING, VM, onset=Onset(DOWN_SINCE, "status"))
    diagnosis = msgspec.structs.replace(
        without_journal(), findings=(KUBELET, stuck), links=(), not_examined=(), affected=(stuck.key,)
    )
    assert told(diagnosis).headline.endswith("VM gpu-fedora cannot be scheduled, since 2026-07-10 15:40 UTC (111 days)")


def test_where_the_moment_was_read_stands_in_the_report() -> None:
    said = report(without_journal(), words(), cluster="lab", at_source=MomentSource.NEWEST, at_where="lease/a/b spec.x")
    assert said.at_where == "lease/a/b spec.x"


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [(DOWN_SINCE, AT, (DOWN_SINCE, AT)), (AT, DOWN_SINCE, (AT, AT)), (None, AT, (None, AT)), (AT, None, (AT, None))],
    ids=["in order", "a heartbeat from before the change", "last only", "first only"],
)
def test_nothing_was_last_seen_before_it_was_first_seen(
    first: datetime | None, last: datetime | None, expected: tuple[datetime | None, datetime | None]
) -> None:
    quote = msgspec.structs.replace(seen(VM, "spec", "x"), first_seen=first, last_seen=last)
    (shown,) = quoted((quote,))
    assert (shown.first_seen, shown.last_seen) == expected


def test_every_object_has_its_own_entry() -> None:
    names = [node(f"omen{number}") for number in (3, 4, 5)]
    blind = tuple(msgspec.structs.replace(GAPS[1], subject=one, command=f"ssh {one.name} journalctl") for one in names)
    said = told(Diagnosis(at=AT, scope=(CLUSTER,), verdict=Verdict.UNKNOWN, blind=blind))
    assert [one.subject for one in said.not_seen] == [str(one) for one in names]
    assert [one.what for one in said.not_seen] == [f"{one.name}: whether swap is on" for one in names]


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


@pytest.mark.parametrize(
    ("open_codes", "shown"),
    [((SWAP, "only-kubelet-died", "do-not-start-kubelet"), (SWAP,)), (("only-kubelet-died",), ("only-kubelet-died",))],
)
def test_a_gap_names_the_faults_that_it_leaves_open(open_codes: tuple[str, ...], shown: tuple[str, ...]) -> None:
    blind = msgspec.structs.replace(GAPS[1], codes=tuple(Code(one) for one in open_codes))
    said = told(Diagnosis(at=AT, scope=(CLUSTER,), verdict=Verdict.UNKNOWN, blind=(blind,)))
    assert said.not_seen[0].codes == shown


def test_without_the_command_that_settles_the_cause_the_next_step_is_what_settles_anything() -> None:
    diagnosis = msgspec.structs.replace(without_journal(), blind=GAPS[:1])
    assert told(diagnosis).next_step == "kubectl get nodepools -A -o yaml"
