"""Every state with every event: it leads exactly where the table says, or changes nothing and says why."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache

import msgspec
import pytest

from bot.adapters.files.knowledge import load_words
from bot.knowledge.blanks import blanks
from bot.remedy.decision import Decision
from bot.remedy.events import Event, tag_of
from bot.remedy.plan import Plan, PlanState, StepState, Vote
from bot.remedy.runbook import Risk, Verb
from bot.remedy.running import NOT_BEGUN, OUTCOMES
from bot.remedy.table import PLANS, STEPS, Cause, NotInTable, moved
from tests.support.repairs import (
    ANN,
    AT,
    BEN,
    CLEO,
    KNOWN,
    OWNER,
    SEEN,
    abort,
    active,
    adopt,
    approve,
    begin,
    break_glass,
    choose,
    decided,
    deny,
    dispatch,
    later,
    outcome,
    report,
    resolve,
    step,
    supersede,
    take_back,
    tick,
    vanish,
    verify,
    with_step,
)

BY_THEMSELVES = frozenset({Cause.OPENED, Cause.LAPSED, Cause.PLAN_OVER})
EVENTS = sorted(set(Cause) - BY_THEMSELVES)
VERBS = (Verb.LABEL_NODE, Verb.OBSERVE, Verb.HOST, Verb.HAND_OVER)
WORDS = load_words("en")


def events(cause: Cause, plan: Plan) -> tuple[Event, ...]:
    """Every kind of this event that could count."""
    return {
        Cause.CHOSEN: (choose(step()),),
        Cause.APPROVED: (approve(plan, BEN),),
        Cause.DENIED: (deny(plan, BEN),),
        Cause.BROKE_GLASS: (break_glass(plan, BEN),),
        Cause.BEGUN: (begin(),),
        Cause.DISPATCHED: (dispatch(), dispatch(voters_may=False)),
        Cause.OUTCOME: tuple(outcome(one) for one in (*OUTCOMES, *NOT_BEGUN)),
        Cause.VERIFIED: tuple(verify(one) for one in ("holds", "fails", "cannot-tell")),
        Cause.REPORTED: tuple(report(one, CLEO) for one in ("good", "bad", "none")),
        Cause.ADOPTED: (adopt(),),
        Cause.RESOLVED: tuple(resolve(one, CLEO) for one in ("happened", "did-not")),
        Cause.ABORTED: (abort(),),
        Cause.SUPERSEDED: (supersede(),),
        Cause.TAKEN_BACK: (take_back(),),
        Cause.GONE: (vanish(),),
        Cause.TICKED: (tick(),),
    }[cause]


#: Where a plan stands whose only step came to this; active otherwise.
PLAN_STATES = {
    **dict.fromkeys((StepState.FAILED, StepState.UNKNOWN, StepState.DENIED, StepState.EXPIRED), PlanState.HALTED),
    StepState.VERIFIED: PlanState.DONE,
    StepState.SUPERSEDED: PlanState.SUPERSEDED,
    StepState.ABORTED: PlanState.ABORTED,
}


@cache
def plans(state: StepState) -> tuple[Plan, ...]:
    """Plans whose step `guard` is in this state, of every kind of step, with and without what people said before.

    Before a step that is pending stands another that waits.
    """
    return tuple(_plans(state))


def _plans(state: StepState) -> Iterator[Plan]:
    for verb, risk, said in itertools.product(VERBS, (Risk.REVERSIBLE, Risk.DESTRUCTIVE), (False, True)):
        first = (step("first"),) if state is StepState.PENDING else ()
        one = step("guard", *first, verb=verb, risk=risk)
        votes = tuple(Vote(actor=by, approve=True, digest=one.digest, at=AT) for by in (BEN, CLEO))
        plan = with_step(
            active(*first, one),
            state=state,
            expires_at=later(minutes=5) if state is StepState.INTENT else None,
            votes=votes if state not in (StepState.PENDING, StepState.AWAITING) else (),
            owner=OWNER,
            lease_until=later(minutes=1) if state is StepState.INTENT and said else AT,
            told_by=(ANN,) if said else (),
            evidence=SEEN if said else (),
            temporary_until=later(days=1) if said else None,
            resolutions=((Vote(actor=BEN, approve=risk is Risk.REVERSIBLE, digest=one.digest, at=AT),) if said else ()),
        )
        where = PLAN_STATES.get(state, PlanState.ACTIVE)
        if state is StepState.ATTESTED and verb is not Verb.LABEL_NODE and said:
            where = PlanState.DONE
        yield msgspec.structs.replace(plan, state=where, known=KNOWN)


@cache
def ends(state: StepState, cause: Cause) -> tuple[tuple[Plan, Decision], ...]:
    return tuple((plan, decided(plan, event)) for plan in plans(state) for event in events(cause, plan))


@pytest.mark.parametrize("cause", EVENTS)
@pytest.mark.parametrize("state", StepState)
def test_a_state_and_an_event_lead_where_the_table_says(state: StepState, cause: Cause) -> None:
    reached = {
        decision.plan.step("guard").state
        for plan, decision in ends(state, cause)
        if not decision.refused and decision.plan.step("guard") != plan.step("guard")
    }
    assert reached == STEPS.get((state, cause), frozenset())


@pytest.mark.parametrize("cause", EVENTS)
@pytest.mark.parametrize("state", StepState)
def test_whatever_is_refused_changes_nothing_and_says_why(state: StepState, cause: Cause) -> None:
    assert ends(state, cause)
    for plan, decision in ends(state, cause):
        assert blanks(WORDS.reason(decision.reason)) <= decision.values.keys()
        if decision.refused:
            assert (decision.changed, decision.plan) == (False, plan)
            assert [entry.type for entry in decision.entries] == ["refused"]
            assert decision.entries[0].details["reason"] == decision.reason
            assert decision.entries[0].details["event"] == cause


@pytest.mark.parametrize("cause", EVENTS)
@pytest.mark.parametrize("where", PlanState)
def test_an_event_counts_in_the_states_of_a_plan_that_the_table_names(where: PlanState, cause: Cause) -> None:
    cases = [
        decided(msgspec.structs.replace(plan, state=where), event)
        for state in StepState
        for plan in plans(state)
        for event in events(cause, plan)
    ]
    assert any(not one.refused for one in cases) == (where in PLANS[cause])


@pytest.mark.parametrize("state", StepState)
def test_a_window_that_is_over_ends_what_waits_for_people(state: StepState) -> None:
    late = later(days=1)
    waiting = [with_step(plan, expires_at=later(minutes=1)) for plan in plans(state)]
    reached = {decided(plan, tick(), late).plan.step("guard").state for plan in waiting}
    assert reached - {state} == STEPS.get((state, Cause.LAPSED), frozenset())


@pytest.mark.parametrize("state", StepState)
@pytest.mark.parametrize("where", sorted(PLANS[Cause.PLAN_OVER]))
def test_nothing_of_a_plan_that_is_over_is_sent_any_more(where: PlanState, state: StepState) -> None:
    over = [msgspec.structs.replace(plan, state=where) for plan in plans(state)]
    reached = {decided(plan, tick()).plan.step("guard").state for plan in over}
    assert reached - {state} == STEPS.get((state, Cause.PLAN_OVER), frozenset())


@pytest.mark.parametrize("state", StepState)
def test_a_step_is_offered_once_those_before_it_are_done(state: StepState) -> None:
    before = [with_step(plan, "first", state=StepState.VERIFIED) for plan in plans(state)]
    reached = {decided(plan, tick()).plan.step("guard").state for plan in before}
    assert reached - {state} == STEPS.get((state, Cause.OPENED), frozenset())


def test_every_event_is_in_the_table() -> None:
    plan = active(step())
    assert {tag_of(one) for cause in EVENTS for one in events(cause, plan)} == set(EVENTS)
    assert {cause for _, cause in STEPS} | {Cause.CHOSEN, Cause.TICKED} == set(Cause)


def test_nothing_leaves_what_is_over() -> None:
    left = {state for (state, _), to in STEPS.items() if to != {state}}
    assert set(StepState) - left == {
        StepState.VERIFIED,
        StepState.FAILED,
        StepState.DENIED,
        StepState.EXPIRED,
        StepState.SUPERSEDED,
        StepState.ABORTED,
    }


def test_a_rule_cannot_leave_the_table() -> None:
    with pytest.raises(NotInTable, match="guard: pending -> verified by verified"):
        moved(step(), Cause.VERIFIED, StepState.VERIFIED, AT)
