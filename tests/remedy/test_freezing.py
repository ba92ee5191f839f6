from __future__ import annotations

import msgspec
import pytest

from bot.remedy.decision import Freeze, Policy
from bot.remedy.events import Person
from bot.remedy.freezing import freeze, unfreeze
from bot.remedy.plan import BOT, Plan, PlanState, StepState
from bot.remedy.runbook import Verb
from bot.remedy.timing import stilled
from tests.support.repairs import (
    ANN,
    AT,
    BEN,
    CLEO,
    FROZEN,
    MAY,
    POLICY,
    THAWED,
    active,
    approve,
    decided,
    deny,
    later,
    step,
    tick,
    verify,
)

NOBODY = Person(may=False, why="a guest")


def test_one_person_freezes() -> None:
    decision = freeze(THAWED, BEN, MAY, "the node burns", AT)
    assert decision.freeze == Freeze(frozen=True, why="the node burns", by=BEN, since=AT)
    assert (decision.entry.type, decision.entry.actor) == ("freeze", BEN)


@pytest.mark.parametrize("why", ["", " \n"])
@pytest.mark.parametrize("before", [THAWED, FROZEN], ids=["thawed", "frozen"])
def test_a_freeze_says_why(before: Freeze, why: str) -> None:
    decision = freeze(before, BEN, MAY, why, AT)
    assert (decision.changed, decision.freeze, decision.entry.type) == (False, before, "refused")
    assert decision.entry.details["reason"] == "repair-reason-missing"


def test_two_distinct_people_unfreeze() -> None:
    first = unfreeze(FROZEN, ANN, MAY, AT, POLICY, pressed=AT)
    assert (first.freeze.frozen, first.freeze.unfreeze_votes) == (True, (ANN,))
    again = unfreeze(first.freeze, ANN, MAY, AT, POLICY, pressed=AT)
    assert (again.changed, again.freeze) == (False, first.freeze)
    second = unfreeze(first.freeze, BEN, MAY, AT, POLICY, pressed=AT)
    assert (second.freeze, second.entry.type) == (Freeze(frozen=False), "unfreeze")


def test_one_person_unfreezes_in_a_team_of_one() -> None:
    assert not unfreeze(FROZEN, ANN, MAY, AT, Policy(solo=True), pressed=AT).freeze.frozen


def test_freezing_again_voids_the_votes() -> None:
    voted = unfreeze(FROZEN, ANN, MAY, AT, POLICY, pressed=AT).freeze
    assert freeze(voted, CLEO, MAY, "still burns", AT).freeze.unfreeze_votes == ()


@pytest.mark.parametrize("who", [ANN, BOT])
def test_who_may_not_changes_nothing(who: object) -> None:
    person = MAY if who == BOT else NOBODY
    for decision in (freeze(THAWED, who, person, "x", AT), unfreeze(FROZEN, who, person, AT, POLICY, pressed=AT)):  # type: ignore[arg-type]
        assert (decision.changed, decision.entry.type) == (False, "refused")


def test_who_asked_to_go_on_before_the_freeze_did_not_mean_this_one() -> None:
    """One that was kept and put into the queue again, too."""
    early = unfreeze(FROZEN, BEN, MAY, later(days=8), POLICY, pressed=later(seconds=-1))
    assert (early.changed, early.reason, early.entry.type) == (False, "repair-unfreeze-before-freeze", "refused")
    assert early.entry.details["since"] == "2026-10-30 15:40:00 UTC"
    here = Freeze(frozen=True, why="kubectl")
    assert unfreeze(here, BEN, MAY, AT, POLICY, pressed=later(seconds=-1)).changed


def test_what_is_not_frozen_is_not_unfrozen() -> None:
    assert unfreeze(THAWED, ANN, MAY, AT, POLICY, pressed=AT).reason == "repair-not-frozen"


def held() -> Plan:
    """A person's step that waited when everything was frozen."""
    return decided(active(step(verb=Verb.HOST), step("other")), tick(), freeze=FROZEN).plan


def test_what_waits_for_people_is_held_and_says_who_froze_it_and_why() -> None:
    plan = active(step(verb=Verb.HOST), step("watch", verb=Verb.OBSERVE))
    decision = decided(plan, tick(), later(minutes=1), freeze=FROZEN)
    guard, watch = decision.plan.steps
    assert (guard.state, guard.held, guard.expires_at) == (StepState.AWAITING, True, None)
    assert (guard.why, guard.values["who"], guard.values["why"]) == ("repair-step-frozen", ANN.id, FROZEN.why)
    assert watch == plan.step("watch")
    assert [(one.type, one.step) for one in decision.entries] == [("held", "guard")]
    assert not decided(decision.plan, tick(), later(minutes=2), freeze=FROZEN).changed


def test_a_window_does_not_close_while_everything_is_frozen() -> None:
    assert decided(held(), tick(), later(days=3), freeze=FROZEN).plan.state is PlanState.ACTIVE


def test_a_window_that_closed_before_the_freeze_is_closed_though_nobody_looked() -> None:
    freeze_ = msgspec.structs.replace(FROZEN, since=later(hours=2))
    plan = active(step(verb=Verb.HOST))
    assert decided(plan, tick(), later(hours=3), freeze=freeze_).plan.step("guard").state is StepState.EXPIRED
    assert decided(plan, tick(), later(hours=3), freeze=FROZEN).plan.step("guard").held


def test_after_the_freeze_everything_is_offered_again_with_a_whole_window() -> None:
    decision = decided(held(), tick(), later(hours=5))
    guard = decision.plan.step("guard")
    assert (guard.held, guard.expires_at, guard.why) == (False, later(hours=6), "repair-offered-again")
    assert [one.type for one in decision.entries] == ["offered", "offered"]


@pytest.mark.parametrize("end", ["seen done", "denied"])
def test_what_does_not_wait_any_more_is_not_held_any_more(end: str) -> None:
    """A veto counts while everything is frozen, and so does what the cluster shows of a step done by hand."""
    plan = decided(active(step(), dry=True), tick(), freeze=FROZEN).plan
    event = verify("holds") if end == "seen done" else deny(plan, BEN)
    guard = decided(plan, event, freeze=FROZEN).plan.step("guard")
    assert (guard.state is StepState.AWAITING, guard.held) == (False, False)


def test_no_step_is_offered_while_everything_is_frozen() -> None:
    plan = active(guard := step(verb=Verb.OBSERVE), step("after", guard, hazard="hazard-kubelet-before-swap"))
    frozen = decided(plan, verify("holds"), freeze=FROZEN)
    assert (frozen.plan.step("guard").state, frozen.plan.step("after").state) == (StepState.VERIFIED, StepState.PENDING)
    pressed = decided(frozen.plan, approve(plan, BEN, "after"), freeze=FROZEN)
    assert (pressed.reason, pressed.values["who"]) == ("repair-frozen", ANN.id)
    assert decided(frozen.plan, tick()).plan.step("after").state is StepState.AWAITING


def test_a_freeze_that_one_process_sees_moves_no_window() -> None:
    plan = active(step(verb=Verb.HOST))
    seen = Freeze(frozen=True, why="kubectl")
    assert decided(plan, tick(), freeze=seen).plan == plan
    assert decided(held(), tick(), freeze=seen).plan.step("guard").held


@pytest.mark.parametrize("freeze_", [FROZEN, Freeze(frozen=True, why="freeze-unreadable")])
def test_people_are_shown_what_waits_as_held_before_anybody_wrote_it_down(freeze_: Freeze) -> None:
    plan = active(step(verb=Verb.HOST))
    assert stilled(plan, freeze_).step("guard").held
    assert stilled(plan, THAWED) == plan


def test_a_veto_counts_while_everything_is_frozen() -> None:
    plan = decided(active(step()), tick(), freeze=FROZEN).plan
    assert decided(plan, deny(plan, BEN), freeze=FROZEN).plan.step("guard").state is StepState.DENIED
