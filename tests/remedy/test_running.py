"""What an executor may do: the axes are who holds the step, what stands in the way, and what came of it."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from bot.remedy.decision import Budget, Freeze, Policy
from bot.remedy.digest import exec_id_of
from bot.remedy.plan import Actor, Plan, PlanState, StepState, Vote
from bot.remedy.runbook import Risk, Verb
from tests.support.repairs import (
    ANN,
    AT,
    BEN,
    CLEO,
    FROZEN,
    OWNER,
    POLICY,
    SEEN,
    abort,
    active,
    adopt,
    approve,
    approved,
    begin,
    break_glass,
    decided,
    deny,
    dispatch,
    later,
    outcome,
    played,
    running,
    step,
    tick,
    verify,
    with_step,
)

UNREADABLE = Freeze(frozen=True, why="reading the freeze failed")


def test_the_intent_is_written_before_anything_is_sent() -> None:
    decision = decided(approved(), begin())
    guard = decision.plan.step("guard")
    assert (guard.state, guard.owner, guard.lease_until) == (StepState.INTENT, OWNER, later(minutes=1))
    assert guard.exec_id == exec_id_of("plan-1", "guard", guard.digest)
    entry = decision.entries[-1]
    assert (entry.type, entry.digest, entry.details["approvers"]) == ("intent", guard.digest, BEN.id)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"freeze": FROZEN}, "repair-frozen"),
        ({"freeze": UNREADABLE}, "repair-frozen"),
        ({"policy": Policy(mutations=False)}, "repair-mutations-off"),
        ({"budget": Budget(running=2, at_once=2)}, "repair-too-many-at-once"),
        ({"budget": Budget(mutations=(AT, AT), per_hour=2)}, "repair-too-many-an-hour"),
        ({"policy": Policy(mutations=True, quorum={Risk.REVERSIBLE: 2})}, "repair-quorum-missing"),
    ],
    ids=["frozen", "unreadable", "off", "at once", "an hour", "stricter now"],
)
def test_what_stands_in_the_way_is_asked_again_when_it_runs(changes: dict[str, object], reason: str) -> None:
    plan = approved()
    refused = decided(plan, begin(), **changes)  # type: ignore[arg-type]
    assert (refused.reason, refused.plan) == (reason, plan)


def test_mutations_of_the_hour_before_do_not_count() -> None:
    old = Budget(mutations=(AT - timedelta(hours=1),), per_hour=1)
    assert not decided(approved(), begin(), budget=old).refused


def test_a_dry_plan_runs_nothing() -> None:
    plan = msgspec.structs.replace(approved(), dry=True)
    assert decided(plan, begin()).reason == "repair-mutations-off"


def test_who_approved_must_still_be_allowed_to() -> None:
    refused = decided(approved(), begin(voters_may=False, voter=BEN.id, why_not="approver-guest"))
    assert refused.reason == "repair-voter-may-not"
    assert (refused.values["who"], refused.values["why"]) == (BEN.id, "approver-guest")


def test_it_waits_while_strangers_read_its_thread() -> None:
    plan = approved()
    refused = decided(plan, begin(shared="C1"))
    assert (refused.reason, refused.values["channel"], refused.plan) == ("repair-thread-shared", "C1", plan)


def test_the_action_is_hashed_again() -> None:
    plan = approved()
    action = msgspec.structs.replace(plan.step("guard").action, params={"label": "mode", "value": "other"})
    assert decided(with_step(plan, action=action), begin()).reason == "repair-other-digest"


@pytest.mark.parametrize(
    "more",
    [{"owner": ""}, {"lease_until": AT}, {"lease_until": AT - timedelta(seconds=1)}],
    ids=["nobody", "now", "past"],
)
def test_nothing_begins_without_a_lease(more: dict[str, object]) -> None:
    assert decided(approved(), begin(**more)).reason == "repair-no-lease"  # type: ignore[arg-type]


def test_one_step_of_a_plan_at_a_time() -> None:
    plan = active(step("one"), step("two"))
    plan = played(plan, approve(plan, BEN, "one"), approve(plan, BEN, "two"), begin("one"))
    refused = decided(plan, begin("two"))
    assert (refused.reason, refused.values["other"]) == ("repair-one-at-a-time", "one")


@pytest.mark.parametrize(
    ("result", "state", "where", "reason"),
    [
        ("applied", StepState.APPLIED, PlanState.ACTIVE, "repair-applied"),
        ("satisfied", StepState.APPLIED, PlanState.ACTIVE, "repair-already-so"),
        ("refused", StepState.FAILED, PlanState.HALTED, "repair-not-applied"),
        ("drifted", StepState.SUPERSEDED, PlanState.SUPERSEDED, "repair-drifted"),
        ("unclear", StepState.UNKNOWN, PlanState.HALTED, "repair-unclear"),
    ],
)
@pytest.mark.parametrize("sent", [True, False], ids=["sent", "intended"])
def test_an_outcome(result: str, state: StepState, where: PlanState, reason: str, sent: bool) -> None:
    plan = played(approved(), begin(), *((dispatch(),) if sent else ()))
    decision = decided(plan, outcome(result, why="HTTP 403"))
    assert (decision.plan.step("guard").state, decision.plan.state, decision.reason) == (state, where, reason)
    assert (decision.entries[0].details["result"], decision.entries[0].details["why"]) == (result, "HTTP 403")


@pytest.mark.parametrize(
    "event", [dispatch(owner="other"), outcome("applied", owner="other"), outcome("applied", owner="")]
)
def test_only_the_owner_speaks_for_its_step(event: object) -> None:
    plan = played(approved(), begin())
    assert decided(plan, event).reason == "repair-other-owner"  # type: ignore[arg-type]


def test_a_zombie_sends_nothing_after_its_lease() -> None:
    plan = played(approved(), begin())
    assert decided(plan, dispatch(), later(minutes=1)).reason == "repair-no-lease"


def test_a_step_is_taken_over_once_its_lease_is_over() -> None:
    plan = played(approved(), begin(), dispatch())
    assert decided(plan, adopt()).reason == "repair-held"
    taken = decided(plan, adopt(), later(minutes=1))
    assert (taken.plan.step("guard").owner, taken.plan.step("guard").state) == ("executor-2", StepState.DISPATCHED)
    assert decided(taken.plan, outcome("applied"), later(minutes=1)).reason == "repair-other-owner"


def test_an_unclear_step_is_never_begun_again() -> None:
    plan = played(approved(), begin(), dispatch(), outcome("unclear"))
    for event in (begin(), adopt(), dispatch(), approve(plan, CLEO)):
        assert decided(plan, event, later(hours=1)).refused


@pytest.mark.parametrize(
    ("result", "state", "where"),
    [
        ("holds", StepState.VERIFIED, PlanState.DONE),
        ("fails", StepState.FAILED, PlanState.HALTED),
        ("cannot-tell", StepState.UNKNOWN, PlanState.HALTED),
    ],
)
@pytest.mark.parametrize("verb", [Verb.LABEL_NODE, Verb.OBSERVE])
def test_what_the_probe_says(verb: Verb, result: str, state: StepState, where: PlanState) -> None:
    plan = active(step(verb=verb))
    plan = plan if verb is Verb.OBSERVE else running(plan)
    decision = decided(plan, verify(result))
    assert (decision.plan.step("guard").state, decision.plan.state) == (state, where)
    assert decision.plan.step("guard").evidence == SEEN


def test_a_step_that_was_so_already_is_verified_without_a_change_and_says_so() -> None:
    plan = played(approved(), begin(), dispatch(), outcome("satisfied"), verify("holds"))
    assert (plan.step("guard").state, plan.step("guard").why) == (StepState.VERIFIED, "repair-verified-already-so")


def test_nothing_is_verified_that_nobody_did() -> None:
    assert decided(active(step()), verify("holds")).reason == "repair-not-begun"


def test_after_a_failure_no_later_step_is_offered() -> None:
    guard = step("guard")
    plan = running(active(guard, step("after", guard)))
    halted = decided(plan, verify("fails")).plan
    assert decided(halted, tick(), later(hours=1)).plan.step("after").state is StepState.PENDING
    assert decided(halted, verify("holds")).reason == "repair-step-state"


def test_what_is_on_its_way_gets_its_outcome_though_the_plan_is_over() -> None:
    plan = active(step("one"), step("two"))
    plan = played(plan, approve(plan, BEN, "one"), begin("one"), dispatch("one"))
    for over in (played(plan, abort()), played(plan, deny(plan, CLEO, "two"))):
        done = played(over, outcome("applied", "one"), verify("holds", "one"))
        assert (done.step("one").state, done.state) == (StepState.VERIFIED, over.state)


def test_a_plan_that_was_given_up_sends_nothing_more() -> None:
    plan = played(approved(), begin(), abort())
    assert decided(plan, dispatch()).reason == "repair-plan-over"


def test_a_temporary_change_says_until_when() -> None:
    plan = running(active(step(temporary_for=86400)))
    assert plan.step("guard").temporary_until == later(days=1)
    assert running(active(step())).step("guard").temporary_until is None


def test_looking_ends_when_the_probe_says() -> None:
    plan = running(active(step()))
    until = plan.step("guard").expires_at
    assert until == later(seconds=120)
    assert decided(plan, tick(), later(days=1)).plan == plan


def test_the_bot_itself_ends_its_looking() -> None:
    plan = active(step(verb=Verb.OBSERVE))
    assert decided(plan, tick(), later(days=1)).plan == plan


def voted(*people: Actor, denied: bool = False) -> Plan:
    """A destructive step that stands as approved, by these people, with whatever was said beside it."""
    plan = active(step("first"), step(risk=Risk.DESTRUCTIVE))
    digest = plan.step("guard").digest
    words = [Vote(actor=one, approve=True, digest=digest, at=AT) for one in people]
    words += [Vote(actor=ANN, approve=False, digest=digest, at=AT)] if denied else []
    return with_step(plan, state=StepState.APPROVED, votes=tuple(words))


@pytest.mark.parametrize(
    ("plan", "is_enough"),
    [(voted(BEN, CLEO), True), (voted(BEN), False), (voted(ANN, BEN), False), (voted(BEN, CLEO, denied=True), False)],
    ids=["two", "one", "the requester", "a veto"],
)
def test_votes_are_counted_again_when_it_begins(plan: Plan, is_enough: bool) -> None:
    assert decided(plan, begin()).reason == ("repair-begun" if is_enough else "repair-quorum-missing")


def test_the_steps_before_are_looked_at_again_when_it_begins() -> None:
    guard = step("guard")
    plan = active(guard, step("after", guard))
    vote = Vote(actor=BEN, approve=True, digest=plan.step("after").digest, at=AT)
    plan = with_step(plan, "after", state=StepState.APPROVED, votes=(vote,))
    refused = decided(plan, begin("after"))
    assert (refused.reason, refused.values["waits"]) == ("repair-out-of-order", "guard")


def test_broken_glass_is_enough_to_begin_a_destructive_step() -> None:
    plan = active(step(risk=Risk.DESTRUCTIVE))
    assert not decided(played(plan, break_glass(plan, BEN)), begin(), policy=POLICY).refused


def test_an_executor_is_woken_for_what_newly_needs_one_and_by_time_for_all() -> None:
    observe = step("observe", verb=Verb.OBSERVE)
    plan = active(step("one"), observe)
    decision = decided(plan, approve(plan, BEN, "one"))
    assert decision.work == ("one",)
    assert decided(decision.plan, tick()).work == ("one", "observe")
    begun = played(decision.plan, begin("one"))
    assert decided(begun, tick()).work == ("observe",)
    assert decided(begun, tick(), later(minutes=1)).work == ("one", "observe")
