"""What people do themselves, where one of them is not enough: agreed to first, then done, then reported.

Axes: who carries it out, how many the risk class takes, who agrees, when it is reported, the freeze, the window.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.remedy.decision import Policy
from bot.remedy.plan import Identity, Plan, StepState
from bot.remedy.runbook import Risk, Verb
from tests.support.repairs import (
    ANN,
    AT,
    BEN,
    CLEO,
    FROZEN,
    POLICY,
    SOLO,
    active,
    approve,
    begin,
    break_glass,
    decided,
    deny,
    later,
    played,
    report,
    step,
    tick,
    verify,
)


def kill(verb: Verb = Verb.HOST, **changes: bool) -> Plan:
    """A plan of ANN's whose first step kills something."""
    guard = step(verb=verb, risk=Risk.DESTRUCTIVE)
    return active(guard, step("after", guard), **changes)


def agreed() -> Plan:
    plan = kill()
    return played(plan, approve(plan, BEN), approve(plan, CLEO))


def guard(plan: Plan) -> StepState:
    return plan.step("guard").state


@pytest.mark.parametrize("result", ["good", "none"])
def test_nothing_is_reported_before_enough_people_agreed(result: str) -> None:
    plan = kill()
    one = played(plan, approve(plan, BEN))
    for before in (plan, one):
        refused = decided(before, report(result, CLEO))
        assert (refused.reason, refused.values["need"]) == ("repair-report-before-approval", "2")
        assert (refused.plan, refused.entries[0].type) == (before, "refused")


def test_agreed_to_by_two_it_is_carried_out_and_reported_by_anybody_who_may() -> None:
    plan = agreed()
    assert guard(plan) is StepState.APPROVED
    done = decided(plan, report("good", ANN)).plan
    assert (guard(done), done.step("guard").told_by) == (StepState.ATTESTED, (ANN,))
    assert done.step("after").state is StepState.AWAITING


def test_told_without_output_it_takes_a_second_person_as_ever() -> None:
    first = decided(agreed(), report("none", ANN)).plan
    assert guard(first) is StepState.APPROVED
    assert guard(decided(first, report("none", BEN)).plan) is StepState.ATTESTED


def test_whoever_asked_for_the_plan_is_none_of_them() -> None:
    plan = kill()
    assert decided(plan, approve(plan, ANN)).reason == "repair-requester-excluded"
    assert decided(plan, break_glass(plan, ANN)).reason == "repair-glass-requester"


def test_a_veto_ends_it_before_and_after_it_was_agreed_to() -> None:
    for plan in (kill(), agreed()):
        assert guard(decided(plan, deny(plan, ANN)).plan) is StepState.DENIED


def test_one_alone_with_a_reason_is_enough_and_marked() -> None:
    plan = kill()
    alone = played(plan, break_glass(plan, BEN))
    assert (guard(alone), alone.step("guard").break_glass) == (StepState.APPROVED, "alone at night")


@pytest.mark.parametrize(
    ("plan", "policy"),
    [(kill(), SOLO), (active(step(verb=Verb.HOST, risk=Risk.DISRUPTIVE)), POLICY)],
    ids=["a team of one", "a risk that takes one"],
)
def test_where_one_person_is_enough_the_report_is_all_it_takes(plan: Plan, policy: Policy) -> None:
    assert decided(plan, approve(plan, BEN), policy=policy).reason == "repair-done-by-people"
    assert guard(decided(plan, report("good"), policy=policy).plan) is StepState.ATTESTED


def test_an_operator_may_want_two_for_every_risk() -> None:
    policy = Policy(mutations=True, quorum={Risk.DISRUPTIVE: 2})
    plan = active(step(verb=Verb.HOST, risk=Risk.DISRUPTIVE))
    assert decided(plan, report("good"), policy=policy).reason == "repair-report-before-approval"


@pytest.mark.parametrize("verb", [Verb.LABEL_NODE, Verb.HOST])
def test_a_dry_plan_is_commands_only_and_nothing_of_it_is_agreed_to(verb: Verb) -> None:
    plan, off = kill(verb, dry=True), Policy(mutations=False)
    assert decided(plan, approve(plan, BEN), policy=off).refused
    assert guard(decided(plan, report("good"), policy=off).plan) is StepState.ATTESTED


def test_what_the_cluster_shows_of_it_counts_once_it_holds() -> None:
    plan = kill(Verb.HAND_OVER)
    both = played(plan, approve(plan, BEN), approve(plan, CLEO))
    assert guard(decided(both, verify("holds")).plan) is StepState.VERIFIED
    assert decided(both, verify("fails")).reason == "repair-not-seen-yet"


def test_no_executor_begins_what_people_do() -> None:
    plan = agreed()
    assert decided(plan, begin()).refused
    assert decided(plan, tick()).work == ()


def test_the_approvals_have_their_window_and_the_work_has_its_own() -> None:
    plan = kill()
    assert plan.step("guard").expires_at == AT + timedelta(seconds=POLICY.approval_window)
    late = decided(plan, tick(), later(minutes=15))
    assert late.plan.step("guard").why == "repair-approval-expired"
    both = agreed()
    assert both.step("guard").expires_at == AT + timedelta(seconds=POLICY.person_window)
    assert guard(decided(both, tick(), later(minutes=59)).plan) is StepState.APPROVED
    late = decided(both, tick(), later(minutes=60))
    assert (guard(late.plan), late.plan.step("guard").why) == (StepState.EXPIRED, "repair-report-expired")


def test_a_freeze_holds_the_work_and_gives_it_a_new_window_afterwards() -> None:
    held = decided(agreed(), tick(), freeze=FROZEN).plan
    assert (guard(held), held.step("guard").held) == (StepState.APPROVED, True)
    assert decided(held, report("good"), freeze=FROZEN).reason == "repair-frozen-report"
    assert guard(decided(held, tick(), later(hours=5), freeze=FROZEN).plan) is StepState.APPROVED
    on = decided(held, tick(), later(hours=5)).plan.step("guard")
    assert (on.held, on.expires_at) == (False, later(hours=6))


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({}, "repair-attested"),
        ({"voters_may": False, "voter": BEN.id, "why_not": "approver-not-listed"}, "repair-voter-may-not"),
        ({"known": dict.fromkeys((BEN.id, CLEO.id), Identity(names=("1",)))}, "repair-quorum-missing"),
    ],
    ids=["still", "one may not any more", "one person after all"],
)
def test_who_agreed_is_asked_for_again_when_it_is_reported(asked: dict[str, Any], reason: str) -> None:
    told = decided(agreed(), report("good", ANN, **asked))
    assert (told.reason, told.refused) == (reason, bool(asked))
    assert told.entries[0].details["reason"] == reason
    assert guard(told.plan) is (StepState.APPROVED if asked else StepState.ATTESTED)


def test_where_nobody_had_to_agree_nobody_is_asked_for_again() -> None:
    """In a team of one, whoever reports it has answered for it."""
    told = decided(agreed(), report("good", ANN, voters_may=False, voter=BEN.id), policy=SOLO)
    assert told.reason == "repair-attested"
