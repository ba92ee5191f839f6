"""Axes: whether a check reads the section with the gap, what it answers, whether it applies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from bot.checks.check import Check
from bot.diagnose.diagnose import diagnose
from bot.knowledge.base import Knowledge
from bot.model.diagnosis import Verdict
from bot.model.findings import Code, Finding, Kind
from bot.model.refs import CLUSTER
from bot.model.sections import NotInstalled, Section, Unknown, UnknownReason, UnreadableObject
from bot.model.snapshot import Snapshot
from tests.support.clusters import NOW
from tests.support.lab import pod

GAPS = {Section.EVENTS: Unknown(UnknownReason.FAILED, "time-out")}


def check(*kinds: Kind, reads: Section = Section.EVENTS, also: tuple[Section, ...] = ()) -> Check:
    codes = tuple(Code(f"code-{kind.value.replace('_', '-')}") for kind in kinds)

    def run(_snapshot: Snapshot) -> Iterator[Finding]:
        for code, kind in zip(codes, kinds, strict=True):
            yield Finding(code=code, subject=CLUSTER, kind=kind)

    return Check(name="one", codes=codes, reads=(reads,), also_reads=also, run=run)


def snapshot(gaps: dict[Section, Unknown]) -> Snapshot:
    return Snapshot(at=NOW, events=(), nodes=(), pods=(), gaps=gaps)


@pytest.mark.parametrize(
    ("gaps", "one", "verdict", "kinds"),
    [
        ({}, check(Kind.RULED_OUT), Verdict.HEALTHY, [Kind.RULED_OUT]),
        (GAPS, check(Kind.RULED_OUT), Verdict.UNKNOWN, []),
        (GAPS, check(Kind.RULED_OUT, reads=Section.PODS), Verdict.HEALTHY, [Kind.RULED_OUT]),
        (GAPS, check(Kind.RULED_OUT, reads=Section.PODS, also=(Section.EVENTS,)), Verdict.UNKNOWN, []),
        (GAPS, check(Kind.FAULT, Kind.RULED_OUT), Verdict.BROKEN, [Kind.FAULT]),
        (GAPS, check(), Verdict.UNKNOWN, []),
    ],
)
def test_what_is_missing_proves_nothing(
    gaps: dict[Section, Unknown], one: Check, verdict: Verdict, kinds: list[Kind]
) -> None:
    found = diagnose(snapshot(gaps), [one], Knowledge())
    assert (found.verdict, [finding.kind for finding in found.findings]) == (verdict, kinds)
    assert [blind.why for blind in found.blind] == (["section-in-part"] if verdict is not Verdict.HEALTHY else [])


@pytest.mark.parametrize(
    "changes",
    [
        {"gaps": {Section.NODES: Unknown(UnknownReason.FAILED, "time-out")}},
        {"unreadable": (UnreadableObject(Section.NODES, "odd"),)},
        {"pods": (pod("web", on="gone"),)},
    ],
    ids=["a page failed", "one did not decode", "a pod shows one that is not listed"],
)
def test_of_a_part_nothing_is_said_of_all(changes: dict[str, Any]) -> None:
    one = check(Kind.FACT, Kind.FAULT, Kind.RULED_OUT, reads=Section.NODES)
    of_all = msgspec.structs.replace(one, of_all=one.codes[:1])
    found = diagnose(msgspec.structs.replace(snapshot({}), **changes), [of_all], Knowledge())
    assert [finding.kind for finding in found.findings] == [Kind.FAULT]
    assert [(blind.why, blind.required) for blind in found.blind] == [("section-in-part", "gaps" in changes)]


def test_a_component_that_is_not_there_has_no_gap() -> None:
    bare = Snapshot(at=NOW, nodepools=NotInstalled(), events=(), gaps=GAPS)
    one = check(reads=Section.NODEPOOLS, also=(Section.EVENTS,))
    assert diagnose(bare, [one], Knowledge()).verdict is Verdict.HEALTHY


@pytest.mark.parametrize(
    ("reason", "verdict", "whys"),
    [
        (UnknownReason.FORBIDDEN, Verdict.UNKNOWN, ["section-forbidden"]),
        (UnknownReason.FAILED, Verdict.UNKNOWN, ["section-failed"]),
        (UnknownReason.NOT_COLLECTED, Verdict.HEALTHY, []),
    ],
)
def test_a_section_that_only_sharpens_is_missed_where_it_was_asked_for_in_vain(
    reason: UnknownReason, verdict: Verdict, whys: list[str]
) -> None:
    bare = Snapshot(at=NOW, nodes=(), pods=(), events=Unknown(reason))
    one = check(reads=Section.PODS, also=(Section.EVENTS,))
    found = diagnose(bare, [one, check(reads=Section.NODES)], Knowledge())
    assert (found.verdict, [blind.why for blind in found.blind]) == (verdict, whys)


def test_a_check_that_lacks_what_it_needs_says_only_that() -> None:
    bare = Snapshot(at=NOW, pods=Unknown(UnknownReason.FORBIDDEN), events=Unknown(UnknownReason.FORBIDDEN))
    found = diagnose(bare, [check(reads=Section.PODS, also=(Section.EVENTS,))], Knowledge())
    assert [blind.sections for blind in found.blind] == [(Section.PODS,)]
