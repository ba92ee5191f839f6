"""Axes: cause seen or not, roots, since when, verdict, language, words that are missing."""

from __future__ import annotations

from datetime import datetime

import msgspec
import pytest

from bot.knowledge.words import CodeWords
from bot.model.diagnosis import Certainty, Diagnosis, Root, Verdict
from bot.model.findings import Code, Finding, Onset, Severity
from bot.model.refs import CLUSTER, Ref
from bot.model.report import MomentSource
from bot.narrate.phrases import quoted
from bot.narrate.report import report
from tests.support.answers import (
    AT,
    DOWN,
    DOWN_SINCE,
    GAPS,
    JOURNAL,
    KUBELET,
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
