"""From the intent to the request. Axes: who says no, and when; whether it could be claimed; whose claim was there."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec
import pytest

from bot.remedy.decision import Budget, Freeze, Policy
from bot.remedy.events import Event
from bot.remedy.plan import BOT, Holder, Plan, PlanState, StepState
from bot.remedy.runbook import Risk
from bot.remedy.spending import spent
from tests.support.repairs import (
    AT,
    BEN,
    CLEO,
    FROZEN,
    OWNER,
    abort,
    active,
    adopt,
    approve,
    begin,
    decided,
    deny,
    dispatch,
    later,
    outcome,
    played,
    step,
    with_step,
)

STRANGER = Holder(owner="executor-0", audit="42:9f3c")
GAP = Freeze(frozen=True, why="repair-audit-gap", by=BOT, since=AT)


def intended() -> Plan:
    plan = active(step())
    return played(plan, approve(plan, BEN), begin(lease_until=later(hours=1)))


NOES: dict[str, tuple[dict[str, object], dict[str, object], str]] = {
    "frozen": ({}, {"freeze": FROZEN}, "repair-frozen"),
    "off": ({}, {"policy": Policy(mutations=False)}, "repair-mutations-off"),
    "stricter now": ({}, {"policy": Policy(mutations=True, quorum={Risk.REVERSIBLE: 2})}, "repair-quorum-missing"),
    "no approver any more": (
        {"voters_may": False, "why_not": "approver-guest"},
        {},
        "repair-voter-may-not",
    ),
    "strangers read": ({"shared": "C1"}, {}, "repair-thread-shared"),
    "too late": ({}, {"now": later(minutes=5)}, "repair-execution-expired"),
}


@pytest.mark.parametrize("name", NOES)
def test_a_no_before_the_request_is_the_intents_outcome(name: str) -> None:
    said, around, why = NOES[name]
    decision = decided(intended(), dispatch(**said), **around)  # type: ignore[arg-type]
    guard = decision.plan.step("guard")
    assert (guard.state, guard.why, guard.values["why"]) == (StepState.FAILED, "repair-not-sent", why)
    assert (decision.refused, decision.plan.state) == (False, PlanState.HALTED)
    assert (decision.entries[0].type, decision.entries[0].details["result"]) == ("outcome", "not-begun")


def test_a_changed_action_and_a_missing_step_before_are_noes_too() -> None:
    action = msgspec.structs.replace(intended().step("guard").action, params={"label": "mode", "value": "other"})
    changed = decided(with_step(intended(), action=action), dispatch())
    assert changed.plan.step("guard").values["why"] == "repair-other-digest"


def test_the_window_goes_on_through_a_take_over_and_ends_with_the_request() -> None:
    plan = intended()
    assert plan.step("guard").expires_at == later(minutes=5)
    plan = played(plan, adopt(lease_until=later(hours=3)), now=later(hours=1))
    assert plan.step("guard").expires_at == later(minutes=5)
    assert played(intended(), dispatch()).step("guard").expires_at is None


def running_after(before: Plan, after: Plan) -> int:
    return spent(Budget(running=1), before, after, AT).running


@pytest.mark.parametrize(
    ("event", "state"),
    [(deny(intended(), CLEO), StepState.DENIED), (abort(), StepState.ABORTED)],
    ids=["deny", "abort"],
)
def test_a_persons_no_ends_what_is_not_sent_at_once(event: Event, state: StepState) -> None:
    plan = intended()
    decision = decided(plan, event)
    assert decision.plan.step("guard").state is state
    (told,) = [one for one in decision.entries if one.type == "outcome"]
    assert (told.actor, told.details["result"], told.details["reason"]) == (BOT, "not-begun", "repair-not-sent")
    assert running_after(plan, decision.plan) == 0
    assert decided(decision.plan, dispatch()).refused


def test_another_steps_no_ends_it_too() -> None:
    plan = active(step("one"), step("two"))
    plan = played(plan, approve(plan, BEN, "one"), begin("one"))
    decision = decided(plan, deny(plan, CLEO, "two"))
    one = decision.plan.step("one")
    assert (decision.plan.state, one.state, one.why) == (PlanState.HALTED, StepState.ABORTED, "repair-plan-ended-first")
    assert "outcome" in [entry.type for entry in decision.entries]
    assert running_after(plan, decision.plan) == 0


@pytest.mark.parametrize("event", [abort(), deny(intended(), CLEO)], ids=["abort", "deny"])
def test_what_was_sent_waits_for_its_outcome(event: Event) -> None:
    plan = played(intended(), dispatch())
    decision = decided(plan, event)
    assert decision.plan.step("guard").state is StepState.DISPATCHED
    assert running_after(plan, decision.plan) == 1


def test_a_refused_claim_is_an_outcome_with_the_servers_reason() -> None:
    done = decided(intended(), outcome("not-begun", why="HTTP 403: forbidden")).plan.step("guard")
    assert (done.state, done.why, done.values["why"]) == (StepState.FAILED, "repair-not-sent", "HTTP 403: forbidden")


@pytest.mark.parametrize(
    ("now", "state"),
    [(later(minutes=4, seconds=59), StepState.INTENT), (later(minutes=5), StepState.FAILED)],
    ids=["inside the window", "after it"],
)
def test_a_claim_that_may_pass_is_tried_until_the_window_is_over(now: datetime, state: StepState) -> None:
    decision = decided(intended(), outcome("unclaimed", why="HTTP 503"), now)
    assert (decision.plan.step("guard").state, decision.refused) == (state, state is StepState.INTENT)


@pytest.mark.parametrize("result", ["not-begun", "unclaimed"])
def test_nobody_says_so_of_what_was_sent(result: str) -> None:
    assert decided(played(intended(), dispatch()), outcome(result)).reason == "repair-no-such-result"


@pytest.mark.parametrize(
    ("result", "state"),
    [("applied", StepState.APPLIED), ("refused", StepState.UNKNOWN), ("unclear", StepState.UNKNOWN)],
)
@pytest.mark.parametrize("owner", [OWNER, "executor-0", ""], ids=["its own", "a stranger's", "unreadable"])
def test_a_claim_that_was_there_is_looked_behind(owner: str, result: str, state: StepState) -> None:
    claim = Holder(owner=owner, audit="42:9f3c")
    decision = decided(intended(), outcome(result, claim=claim))
    guard, is_lost = decision.plan.step("guard"), owner == "executor-0"
    assert (guard.state, guard.stranger) == (state, claim if is_lost else None)
    gaps = [one for one in decision.entries if one.type == "audit-gap"]
    assert [(one.details["owner"], one.details["expected"]) for one in gaps] == [("executor-0", "42:9f3c")] * is_lost
    assert decision.freeze == (GAP if is_lost else None)


def test_whoever_held_it_before_is_no_stranger() -> None:
    plan = played(intended(), adopt(lease_until=later(hours=3)), now=later(hours=1))
    assert plan.step("guard").owners == (OWNER, "executor-2")
    claim = Holder(owner=OWNER, audit="42:9f3c")
    assert decided(plan, outcome("refused", owner="executor-2", claim=claim)).freeze is None


def test_a_gap_is_written_down_while_everything_is_frozen_already() -> None:
    decision = decided(intended(), outcome("refused", claim=STRANGER), freeze=FROZEN)
    assert ("audit-gap" in [one.type for one in decision.entries], decision.freeze) == (True, None)


def test_a_gap_says_more_than_the_third_failure() -> None:
    busy = Budget(failures=(AT, AT - timedelta(minutes=1)), failures_per_hour=3)
    assert decided(intended(), outcome("refused", claim=STRANGER), budget=busy).freeze == GAP
