"""Who decides, in which order, and how many: the axes are the risk, the people, the order and what was shown."""

from __future__ import annotations

import msgspec
import pytest

from bot.remedy.decision import Policy
from bot.remedy.events import Person
from bot.remedy.plan import BOT, Actor, PlanState, StepState
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
    choose,
    choosing,
    decided,
    deny,
    dispatch,
    later,
    played,
    running,
    step,
    verify,
    with_step,
)

GUEST = Person(may=False, why="a guest of this workspace")
DESTRUCTIVE = step(risk=Risk.DESTRUCTIVE)


def test_an_option_is_chosen_once() -> None:
    first = decided(choosing(), choose(step(), by=BEN, option="vms", leaves=("vm-unschedulable",)))
    assert (first.plan.option, first.plan.chosen_by, first.plan.leaves) == ("vms", BEN, ("vm-unschedulable",))
    second = decided(first.plan, choose(step(), option="host-cuda"))
    assert (second.reason, second.values) == ("repair-chosen-already", {"option": "vms", "who": BEN.id})
    assert second.plan == first.plan


def test_whoever_opens_a_plan_of_an_alert_is_its_requester() -> None:
    assert decided(choosing(requester=BOT), choose(step(), by=BEN)).plan.requester == BEN
    assert decided(choosing(requester=ANN), choose(step(), by=BEN)).plan.requester == ANN


def test_nothing_is_approved_before_an_option_is_chosen() -> None:
    plan = choosing(steps=(step(),))
    assert decided(plan, approve(plan, BEN)).reason == "repair-not-chosen"


FIRST = step("first")


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ((), "steps"),
        ((FIRST, FIRST), "first: step"),
        ((step("guard", FIRST),), "guard: after"),
        ((msgspec.structs.replace(step(), digest="0" * 64),), "guard: digest"),
        ((FIRST, msgspec.structs.replace(step(), after=("first",))), "guard: predecessors"),
        ((msgspec.structs.replace(step(), state=StepState.VERIFIED),), "guard: state"),
    ],
    ids=["none", "twice", "after nothing", "digest", "predecessors", "done before"],
)
def test_steps_that_do_not_fit_make_no_plan(steps: tuple[object, ...], why: str) -> None:
    refused = decided(choosing(), choose(*steps))  # type: ignore[arg-type]
    assert (refused.reason, refused.values) == ("repair-ill-built", {"why": why})
    assert refused.plan == choosing()


def test_a_step_of_another_cluster_makes_no_plan() -> None:
    assert decided(choosing(cluster="other"), choose(step())).values == {"why": "guard: cluster"}


def test_one_approval_suffices_and_starts_the_execution_window() -> None:
    plan = active(step())
    decision = decided(plan, approve(plan, ANN))
    guard = decision.plan.step("guard")
    assert (guard.state, guard.expires_at) == (StepState.APPROVED, later(seconds=POLICY.execution_window))
    assert (decision.reason, decision.work) == ("repair-approved", ("guard",))
    assert decision.entries[-1].details["have"] == "1"


@pytest.mark.parametrize(
    ("people", "state", "reason"),
    [
        ((BEN,), StepState.AWAITING, "repair-approval-counted"),
        ((BEN, CLEO), StepState.APPROVED, "repair-approved"),
    ],
)
def test_a_destructive_step_takes_two(people: tuple[Actor, ...], state: StepState, reason: str) -> None:
    plan = active(DESTRUCTIVE)
    for who in people:
        decision = decided(plan, approve(plan, who))
        plan = decision.plan
    assert (plan.step("guard").state, decision.reason) == (state, reason)


def test_two_presses_of_one_person_are_one_vote() -> None:
    plan = active(DESTRUCTIVE)
    plan = played(plan, approve(plan, BEN))
    again = decided(plan, approve(plan, BEN))
    assert (again.reason, again.plan) == ("repair-voted-already", plan)


def test_the_requester_is_not_one_of_two() -> None:
    plan = active(DESTRUCTIVE)
    assert decided(plan, approve(plan, ANN)).reason == "repair-requester-excluded"


def test_a_risk_that_the_policy_does_not_name_takes_two() -> None:
    plan = active(step())
    assert (
        decided(plan, approve(plan, BEN), policy=Policy(mutations=True, quorum={})).reason == "repair-approval-counted"
    )


def test_solo_makes_every_quorum_one_and_lets_the_requester_count() -> None:
    plan = active(DESTRUCTIVE)
    decision = decided(plan, approve(plan, ANN), policy=SOLO)
    assert (decision.plan.step("guard").state, decision.reason) == (StepState.APPROVED, "repair-approved-solo")
    assert decision.entries[-1].details["solo"] == "yes"


@pytest.mark.parametrize("approvers", [(), (BEN,), (BEN, CLEO)], ids=["none", "one", "approved"])
def test_a_deny_is_a_veto(approvers: tuple[Actor, ...]) -> None:
    plan = active(DESTRUCTIVE)
    plan = played(plan, *(approve(plan, who) for who in approvers))
    decision = decided(plan, deny(plan, BEN))
    assert decision.plan.step("guard").state is StepState.DENIED
    assert decision.plan.state is PlanState.HALTED
    assert decided(decision.plan, approve(plan, CLEO)).reason == "repair-plan-over"


def test_what_was_sent_cannot_be_denied() -> None:
    plan = active(step())
    plan = played(plan, approve(plan, BEN), begin(), dispatch())
    assert decided(plan, deny(plan, CLEO)).reason == "repair-runs-already"


@pytest.mark.parametrize("make", [approve, deny, break_glass])
def test_an_old_button_says_so(make: object) -> None:
    plan = active(step())
    old = make(plan, BEN, digest="f" * 64)  # type: ignore[operator]
    assert decided(plan, old).reason == "repair-other-digest"


@pytest.mark.parametrize("make", [approve, deny, break_glass])
def test_who_may_not_decides_nothing(make: object) -> None:
    plan = active(step())
    refused = decided(plan, make(plan, BEN, person=GUEST))  # type: ignore[operator]
    assert (refused.reason, refused.values["why"]) == ("repair-may-not", GUEST.why)
    assert refused.entries[0].actor == BEN


def test_the_bot_approves_nothing() -> None:
    plan = active(step())
    assert decided(plan, approve(plan, BOT)).reason == "repair-bot-decides-nothing"


@pytest.mark.parametrize(
    ("verb", "reason"),
    [
        (Verb.OBSERVE, "repair-needs-no-approval"),
        (Verb.HOST, "repair-done-by-people"),
        (Verb.HAND_OVER, "repair-done-by-people"),
    ],
)
def test_what_the_bot_does_not_change_is_not_approved(verb: Verb, reason: str) -> None:
    plan = active(step(verb=verb))
    assert decided(plan, approve(plan, BEN)).reason == reason


@pytest.mark.parametrize(("dry", "mutations"), [(True, True), (False, False)], ids=["dry plan", "switched off"])
def test_without_mutations_nothing_is_approved(dry: bool, mutations: bool) -> None:
    plan = active(step(), dry=dry)
    assert decided(plan, approve(plan, BEN), policy=Policy(mutations=mutations)).reason == "repair-mutations-off"


def test_nothing_is_approved_while_everything_is_frozen() -> None:
    plan = active(step())
    refused = decided(plan, approve(plan, BEN), freeze=FROZEN)
    assert (refused.reason, refused.values["why"]) == ("repair-frozen", FROZEN.why)
    assert not decided(plan, deny(plan, BEN), freeze=FROZEN).refused


def test_broken_glass_takes_one_and_names_who_was_passed_over() -> None:
    plan = active(DESTRUCTIVE)
    decision = decided(plan, break_glass(plan, BEN, skipped=(ANN, CLEO, BEN)))
    guard = decision.plan.step("guard")
    assert (guard.state, guard.break_glass, guard.skipped) == (StepState.APPROVED, "alone at night", (ANN, CLEO))
    entry = decision.entries[-1]
    assert (entry.type, entry.details["skipped"], entry.details["missing"]) == (
        "broke-glass",
        f"{ANN.id}, {CLEO.id}",
        "2",
    )
    assert not decided(decision.plan, begin()).refused


def test_whoever_asked_for_the_plan_breaks_no_glass_alone() -> None:
    plan = active(DESTRUCTIVE)
    refused = decided(plan, break_glass(plan, ANN))
    assert (refused.reason, refused.values["who"], refused.plan) == ("repair-glass-requester", ANN.id, plan)
    solo = Policy(mutations=True, solo=True)
    assert decided(plan, break_glass(plan, ANN), policy=solo).plan.step("guard").state is StepState.APPROVED


def test_glass_that_whoever_asked_broke_counts_for_nothing_when_it_begins() -> None:
    plan = active(DESTRUCTIVE)
    by_ben = played(plan, break_glass(plan, BEN)).step("guard")
    votes = tuple(msgspec.structs.replace(one, actor=ANN) for one in by_ben.votes)
    forged = with_step(plan, state=StepState.APPROVED, votes=votes, break_glass="x", expires_at=by_ben.expires_at)
    assert decided(forged, begin()).reason == "repair-quorum-missing"


@pytest.mark.parametrize("reason", ["", " \n"])
def test_broken_glass_needs_a_reason(reason: str) -> None:
    plan = active(DESTRUCTIVE)
    assert decided(plan, break_glass(plan, BEN, reason=reason)).reason == "repair-reason-missing"


def test_out_of_order_names_the_hazard_and_what_is_missing() -> None:
    guard = step("guard")
    plan = active(guard, step("swap-off", guard, hazard="hazard-host-before-guard"), step("start", guard))
    refused = decided(plan, approve(plan, BEN, "swap-off"))
    assert (refused.reason, refused.values["waits"]) == ("hazard-host-before-guard", "guard")
    assert refused.entries[0].details["event"] == "approved"
    assert decided(plan, approve(plan, BEN, "start")).reason == "repair-out-of-order"


def test_the_next_step_is_offered_when_the_one_before_is_verified() -> None:
    guard = step("guard")
    plan = running(active(guard, step("after", guard)))
    assert plan.step("after").state is StepState.PENDING
    decision = decided(plan, verify("holds"))
    assert decision.plan.step("after").state is StepState.AWAITING
    assert decision.plan.step("after").expires_at == later(seconds=POLICY.approval_window)
    assert [entry.type for entry in decision.entries] == ["verified", "offered"]


@pytest.mark.parametrize(
    ("verb", "told"),
    [(Verb.LABEL_NODE, "repair-offered"), (Verb.HOST, "repair-offered"), (Verb.OBSERVE, "repair-watched")],
)
def test_of_a_step_that_only_looks_nobody_says_that_it_waits_for_people(verb: Verb, told: str) -> None:
    guard = step("guard")
    decision = decided(running(active(guard, step("after", guard, verb=verb))), verify("holds"))
    assert decision.plan.step("after").why == told
    assert decision.entries[-1].details["reason"] == told


def test_a_step_that_is_not_there_is_named() -> None:
    plan = active(step())
    other = msgspec.structs.replace(approve(plan, BEN), step="other")
    assert (decided(plan, other).reason, decided(plan, other).values) == ("repair-no-such-step", {"step": "other"})


def test_a_second_approver_who_comes_late_gets_a_clear_word() -> None:
    plan = active(step())
    plan = played(plan, approve(plan, BEN))
    assert decided(plan, approve(plan, CLEO)).reason == "repair-approved-already"


def test_a_vote_on_other_contents_does_not_count() -> None:
    plan = active(step())
    plan = played(plan, approve(plan, BEN))
    votes = tuple(msgspec.structs.replace(one, digest="f" * 64) for one in plan.step("guard").votes)
    assert decided(with_step(plan, votes=votes), begin(), AT).reason == "repair-quorum-missing"
