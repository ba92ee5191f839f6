"""Incident A in every order of presses, with what they do to the machine.

Axes: who presses what in which order, how often, with which paste; how long people wait; what they have chosen; whether
the operator reacts; whether people keep to the cards. Whatever the bot permits, the CUDA job lives; the controls show
that it would die otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.remedy.plan import PlanState, StepState
from tests.app.repair.exploring import End, Map
from tests.app.repair.moves import (
    AGREED_BY_ANYBODY,
    ANYTHING,
    BY_ANYBODY,
    ESSENTIAL,
    LATER,
    NOISE,
    OFF,
    ONWARD,
    REFUSED_BY_ANYBODY,
    STOPS,
    VMS,
    WAIT,
    WORKS,
    Move,
)
from tests.app.repair.played import LONG_ENOUGH, Played
from tests.app.repair.theatre import CASTS, Theatre, theatre
from tests.support.repair import ANA, BEN, CAI

__all__ = ["theatre"]


def test_exactly_one_order_of_the_essential_presses_is_never_refused(theatre: Theatre) -> None:
    play = theatre.opens()
    assert Map(play, theatre.store).orders(ESSENTIAL) == {End("running", False): 1, End("running", True): 2519}


def test_whoever_does_not_care_for_the_refusals_kills_the_job(theatre: Theatre) -> None:
    """The control: the same orders, but the host's commands are run whether their card is offered or not."""
    play = theatre.opens()
    play.is_careless = True
    ends = Map(play, theatre.store).orders(ESSENTIAL)
    assert ends[End("killed", True)] > 1000
    assert ends[End("killed", False)] == 0, "nothing that the bot permits kills it"
    assert sum(ends.values()) == 2520


def test_from_wherever_people_get_the_job_lives_and_what_is_refused_there_would_kill_it(theatre: Theatre) -> None:
    play = theatre.opens()
    places = Map(play, theatre.store)
    states: set[PlanState] = set()
    refused: set[tuple[str, str]] = set()
    for place in places.walk((*ESSENTIAL, *NOISE, LATER)):
        states.add(play.plan().state)
        assert play.cuda() == "running", place
        if is_locked(play):
            refused.add((play.mode(), on_the_host(play)))
    assert refused == {("vm-passthrough", "killed"), ("container", "running")}
    assert states == {PlanState.CHOOSING, PlanState.ACTIVE, PlanState.DONE}


@pytest.mark.real
@pytest.mark.parametrize(
    ("cast", "at_least", "presses", "refused"),
    [
        ("as shipped", 52, BY_ANYBODY, (*REFUSED_BY_ANYBODY, NOISE[0])),
        ("two for the label", 58, (*BY_ANYBODY, *AGREED_BY_ANYBODY), ()),
    ],
)
def test_whoever_of_the_three_presses_what_the_job_lives(
    theatre: Theatre, cast: str, at_least: int, presses: Sequence[Move], refused: Sequence[Move]
) -> None:
    """Every order of every press by any of them, of any length: from each state each of them presses each button."""
    play = theatre.opens(cast)
    places, moves = Map(play, theatre.store), (*presses, *refused, WORKS, WAIT, LATER)
    approved: set[tuple[str, str]] = set()
    states: set[PlanState] = set()
    for place in places.walk(moves):
        plan = play.plan()
        states.add(plan.state)
        approved |= {(plan.requester.id, vote.actor.id) for one in plan.steps for vote in one.votes if vote.approve}
        assert play.cuda() == "running", place
        if is_locked(play) and play.mode() != "container":
            assert on_the_host(play) == "killed", place
    covered = places.covered()
    assert covered.states >= at_least
    assert covered.played == covered.states * len(moves)
    assert {*presses} <= covered.permitted & covered.refused, "each of them did each of it somewhere"
    assert not {*refused} & covered.permitted
    assert states == {PlanState.CHOOSING, PlanState.ACTIVE, PlanState.HALTED, PlanState.DONE}
    people = {one.id for one in (ANA, BEN, CAI)}
    pairs = {(one, other) for one in people for other in people}
    assert approved == (pairs if cast == "as shipped" else {(one, other) for one, other in pairs if one != other})


@pytest.mark.parametrize(
    "presses",
    [(*ESSENTIAL, *NOISE), pytest.param((*BY_ANYBODY, *REFUSED_BY_ANYBODY), marks=pytest.mark.real)],
    ids=["by the right people", "by anybody"],
)
def test_an_operator_that_does_not_react_leaves_the_host_locked_in_every_order(
    theatre: Theatre, presses: Sequence[Move]
) -> None:
    """And whoever does not care kills the job even in the right order."""
    play = theatre.opens("no operator")
    found: set[tuple[str, str]] = set()
    for place in Map(play, theatre.store).walk((*presses, LATER)):
        assert play.is_untouched(), place
        assert is_locked(play), place
        found.add((play.states().get("guard-card", ""), play.mode()))
        assert on_the_host(play) == "killed", place
    assert {("applied", "container"), ("failed", "container")} <= found, "step 1 was done, and protects nothing"


def test_the_card_for_the_vms_waits_until_a_person_has_stopped_the_job(theatre: Theatre) -> None:
    play = theatre.opens()
    refused: set[tuple[str, str]] = set()
    drivers: set[str] = set()
    for place in Map(play, theatre.store).walk((*VMS, *ESSENTIAL[2:], *STOPS)):
        drivers.add(play.host.state()["driver"])
        assert play.cuda() in ("running", "stopped"), place
        assert is_locked(play) or play.cuda() == "stopped", place
        if is_locked(play):
            refused.add((play.cuda(), on_the_host(play)))
    assert refused == {("running", "killed"), ("stopped", "stopped")}
    assert drivers == {"nvidia", "vfio-pci"}, "the VMs get the card"


@settings(max_examples=8, deadline=None)
@given(
    cast=st.sampled_from(sorted(CASTS)),
    moves=st.lists(st.sampled_from((ONWARD,) * len(ANYTHING) + ANYTHING), min_size=12, max_size=24),
)
def test_any_order_of_anything_keeps_the_job(theatre: Theatre, cast: str, moves: Sequence[Move]) -> None:
    performed(theatre, cast, moves)


@pytest.mark.real
@settings(max_examples=40, deadline=None)
@given(
    cast=st.sampled_from(sorted(CASTS)),
    moves=st.lists(st.sampled_from((ONWARD,) * len(ANYTHING) + ANYTHING), min_size=12, max_size=40),
)
def test_any_long_order_of_anything_keeps_the_job(theatre: Theatre, cast: str, moves: Sequence[Move]) -> None:
    performed(theatre, cast, moves)


def performed(theatre: Theatre, cast: str, moves: Sequence[Move]) -> None:
    """Play it; after every move the job lives, or somebody has stopped it."""
    play = theatre.opens(cast)
    keeps = True
    for at, move in enumerate(moves):
        done = play.onward() if move == ONWARD else move
        play.do(done)
        keeps = keeps and play.plan().option != "vms"
        told = f"{cast}: {', '.join(map(str, moves[: at + 1]))}"
        assert play.cuda() != "killed", told
        assert not keeps or play.cuda() == "running", told
        assert not keeps or "no operator" not in cast or play.is_untouched(), told
    assert play.audit_holds()


def is_locked(play: Played) -> bool:
    """Whether nobody may touch the host now; a report of it is refused, which changes nothing."""
    before, step = len(play.refusals()), play.known("host-off")
    if step is not None and step.state is not StepState.PENDING:
        return False
    play.do(OFF)
    assert len(play.refusals()) == before + 1
    return True


def on_the_host(play: Played) -> str:
    """What becomes of the job if somebody does the host's part all the same."""
    play.by_hand("host-off", "start-kubelet")
    play.passes(LONG_ENOUGH)
    return play.cuda()
