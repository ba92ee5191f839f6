"""Axes: what was not seen, of how many objects; what that leaves open; which command settles it."""

from __future__ import annotations

import msgspec
import pytest

from bot.model.diagnosis import Diagnosis, Verdict
from bot.model.findings import Blind, Code
from bot.model.refs import CLUSTER, node
from tests.support.answers import AT, GAPS, OMEN2, SWAP, told, without_journal


def test_gaps_of_other_nodes_are_told_only_where_the_whole_cluster_was_asked_about() -> None:
    other = msgspec.structs.replace(GAPS[1], subject=node("omen3"), command="ssh omen3 journalctl")
    asked = msgspec.structs.replace(without_journal((OMEN2,)), blind=(other, *GAPS))
    assert "ssh omen3 journalctl" not in [one.command for one in told(asked).not_seen]
    assert "ssh omen3 journalctl" in [
        one.command for one in told(msgspec.structs.replace(asked, scope=(CLUSTER,))).not_seen
    ]


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


def test_every_object_has_its_own_entry() -> None:
    names = [node(f"omen{number}") for number in (3, 4, 5)]
    blind = tuple(msgspec.structs.replace(GAPS[1], subject=one, command=f"ssh {one.name} journalctl") for one in names)
    said = told(Diagnosis(at=AT, scope=(CLUSTER,), verdict=Verdict.UNKNOWN, blind=blind))
    assert [one.subject for one in said.not_seen] == [str(one) for one in names]
    assert [one.what for one in said.not_seen] == [f"{one.name}: whether swap is on" for one in names]


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
