"""Nodes that the bot keeps cordoned. Axes: how many there are, who cordoned, what is in flight, what is not read."""

from __future__ import annotations

from typing import Any

import pytest

from bot.model.objects import Node
from bot.model.refs import node as ref
from bot.model.sections import Section, Unknown, UnknownReason
from bot.model.snapshot import Snapshot
from bot.remedy.cordons import Cordons, cordons
from bot.remedy.decision import Budget
from bot.remedy.plan import Plan
from bot.remedy.runbook import Verb
from bot.remedy.spending import spent
from tests.support.objects import decoded, node
from tests.support.repairs import AT, BEN, active, approve, approved, begin, decided, outcome, played, step

FAILED = Unknown(UnknownReason.FAILED, "time-out")
UNREAD = Cordons(why="section-failed", values={"section": "nodes", "detail": "time-out"})
OURS = {"annotations": {"autopsy.io/exec-id": "x"}}


def cluster(*, free: int, ours: int = 0, theirs: int = 0) -> tuple[Node, ...]:
    marks = [({}, False)] * free + [(OURS, True)] * ours + [({}, True)] * theirs
    made = [node(f"n{number}", **meta) for number, (meta, _) in enumerate(marks)]
    things = [{**one, "spec": {"unschedulable": off}} for one, (_, off) in zip(made, marks, strict=True)]
    return tuple(decoded(one, Node) for one in things)


@pytest.mark.parametrize(
    ("nodes", "seen", "limit"),
    [
        (cluster(free=1), Cordons(nodes=1), 1),
        (cluster(free=39), Cordons(nodes=39), 1),
        (cluster(free=36, ours=3, theirs=1), Cordons(nodes=40, cordoned=3), 2),
        (cluster(free=60), Cordons(nodes=60), 3),
        (FAILED, UNREAD, 1),
    ],
    ids=["one node", "few nodes", "others' do not count", "one in twenty", "unread"],
)
def test_they_are_counted(nodes: Any, seen: Cordons, limit: int) -> None:
    assert (cordons(Snapshot(at=AT, nodes=nodes), ref("n99")), seen.limit) == (seen, limit)


def test_the_node_itself_does_not_count() -> None:
    assert cordons(Snapshot(at=AT, nodes=cluster(free=0, ours=1)), ref("n0")).cordoned == 0


def test_a_list_with_a_gap_counts_nothing() -> None:
    assert cordons(Snapshot(at=AT, nodes=(), gaps={Section.NODES: FAILED}), ref("n0")).why


def cordoning() -> Plan:
    plan = active(step(verb=Verb.CORDON))
    return played(plan, approve(plan, BEN))


@pytest.mark.parametrize(
    ("seen", "flying", "reason"),
    [
        (Cordons(nodes=1), 0, "repair-begun"),
        (Cordons(nodes=40, cordoned=1), 0, "repair-begun"),
        (Cordons(nodes=39, cordoned=1), 0, "repair-too-many-cordoned"),
        (Cordons(nodes=39), 1, "repair-too-many-cordoned"),
        (UNREAD, 0, "repair-cordons-unread"),
        (None, 0, "repair-cordons-unread"),
    ],
    ids=["the first", "below one in twenty", "cordoned", "about to be", "unread", "nobody counted"],
)
def test_a_cordon_waits_for_its_turn(seen: Cordons | None, flying: int, reason: str) -> None:
    decision = decided(cordoning(), begin(cordons=seen), budget=Budget(cordoning=flying))
    assert decision.reason == reason
    assert decision.refused is (reason != "repair-begun")


def test_other_steps_do_not_count() -> None:
    assert decided(approved(), begin(), budget=Budget(cordoning=9)).reason == "repair-begun"


def test_what_is_in_flight_is_known_to_the_journal() -> None:
    begun = decided(cordoning(), begin(cordons=Cordons(nodes=1))).plan
    flying = spent(Budget(), cordoning(), begun, AT)
    assert flying.cordoning == 1
    ended = decided(begun, outcome("refused")).plan
    assert spent(flying, begun, ended, AT).cordoning == 0
    assert spent(Budget(), approved(), played(approved(), begin()), AT).cordoning == 0
