"""What people say of the world: the axes are who, how often, with which evidence, and what the bot could see itself."""

from __future__ import annotations

import pytest

from bot.remedy.events import Person
from bot.remedy.plan import BOT, Plan, PlanState, StepState
from bot.remedy.runbook import Probe, Verb
from tests.support.repairs import (
    ANN,
    BEN,
    CLEO,
    FROZEN,
    POLICY,
    SEEN,
    SOLO,
    abort,
    active,
    approve,
    begin,
    decided,
    later,
    outcome,
    played,
    report,
    resolve,
    step,
    tick,
    verify,
    with_step,
)

NOBODY = Person(may=False, why="not an approver")


def host() -> Plan:
    guard = step(verb=Verb.HOST)
    return active(guard, step("after", guard))


def unknown() -> Plan:
    plan = active(step())
    return played(plan, approve(plan, BEN), begin(), outcome("unclear"))


def test_good_evidence_attests_and_opens_the_next_step() -> None:
    decision = decided(host(), report("good"))
    guard = decision.plan.step("guard")
    assert (guard.state, guard.evidence, guard.told_by) == (StepState.ATTESTED, SEEN, (ANN,))
    assert decision.plan.step("after").state is StepState.AWAITING
    assert "Filename (U0ANN)" in decision.entries[0].details["evidence"]


def test_bad_evidence_is_refused_and_the_step_stays() -> None:
    plan = host()
    refused = decided(plan, report("bad", why="repair-swap-still-on", values={"lines": "/swapfile"}))
    assert (refused.reason, refused.plan) == ("repair-report-bad", plan)
    assert refused.values["why"] == "repair-swap-still-on"
    assert refused.values["lines"] == "/swapfile"


def test_told_without_evidence_takes_a_second_person() -> None:
    first = decided(host(), report("none", ANN))
    assert (first.reason, first.plan.step("guard").state) == ("repair-told-second-needed", StepState.AWAITING)
    assert first.plan.step("after").state is StepState.PENDING
    assert decided(first.plan, report("none", ANN)).reason == "repair-told-already"
    second = decided(first.plan, report("none", BEN))
    assert (second.reason, second.plan.step("guard").state) == ("repair-told-twice", StepState.ATTESTED)
    assert second.plan.step("after").state is StepState.AWAITING


@pytest.mark.parametrize(
    ("changes", "is_open"),
    [
        ({"told_by": (ANN,)}, False),
        ({"told_by": (ANN, ANN)}, False),
        ({"told_by": (ANN, BEN)}, True),
        ({"told_by": (ANN,), "evidence": SEEN}, True),
    ],
    ids=["one", "twice the same", "two", "evidence"],
)
def test_what_is_attested_opens_the_next_only_on_good_grounds(changes: dict[str, object], is_open: bool) -> None:
    plan = with_step(host(), state=StepState.ATTESTED, **changes)
    assert (decided(plan, tick()).plan.step("after").state is StepState.AWAITING) == is_open


def test_told_without_evidence_suffices_in_a_team_of_one() -> None:
    decision = decided(host(), report("none"), policy=SOLO)
    assert (decision.reason, decision.plan.step("after").state) == ("repair-told-solo", StepState.AWAITING)


def test_who_told_may_bring_the_evidence_later() -> None:
    plan = played(host(), report("none", ANN), report("good", ANN))
    assert (plan.step("guard").state, plan.step("guard").evidence) == (StepState.ATTESTED, SEEN)


def test_good_without_evidence_is_no_report() -> None:
    assert decided(host(), report("good", evidence=())).reason == "repair-no-such-result"


def test_who_may_not_reports_nothing() -> None:
    assert decided(host(), report("good", person=NOBODY)).reason == "repair-may-not"
    assert decided(host(), report("good", BOT)).reason == "repair-bot-decides-nothing"


@pytest.mark.parametrize("result", ["good", "bad", "none"])
def test_no_report_counts_while_everything_is_frozen_and_none_is_lost(result: str) -> None:
    plan = host()
    refused = decided(plan, report(result), freeze=FROZEN)
    if result != "bad":
        assert (refused.reason, refused.values["who"], refused.values["why"]) == (
            "repair-frozen-report",
            ANN.id,
            FROZEN.why,
        )
    assert refused.plan.step("guard").state is StepState.AWAITING
    assert refused.plan.step("guard").told_by == ()
    assert decided(refused.plan, report("good"), later(hours=9)).plan.step("guard").state is StepState.ATTESTED


def test_what_the_bot_does_is_not_reported() -> None:
    assert decided(active(step()), report("good")).reason == "repair-not-by-people"


def test_what_only_a_paste_shows_is_never_verified() -> None:
    plan = host()
    assert decided(plan, verify("holds")).reason == "repair-attested-only"
    assert decided(played(plan, report("good")), verify("holds")).reason == "repair-attested-only"


@pytest.mark.parametrize("told", [True, False])
def test_what_was_handed_over_is_verified_when_it_is_seen(told: bool) -> None:
    plan = active(step(verb=Verb.HAND_OVER, temporary_for=60))
    plan = played(plan, report("good")) if told else plan
    for unseen in ("fails", "cannot-tell"):
        assert (decided(plan, verify(unseen)).reason, decided(plan, verify(unseen)).plan) == (
            "repair-not-seen-yet",
            plan,
        )
    decision = decided(plan, verify("holds"))
    assert decision.plan.step("guard").state is StepState.VERIFIED
    assert decision.plan.step("guard").temporary_until == later(seconds=60)


def test_a_plan_that_is_done_still_learns_what_it_sees() -> None:
    plan = played(active(step(verb=Verb.HAND_OVER)), report("good"))
    assert plan.state is PlanState.DONE
    seen = decided(plan, verify("holds"))
    assert (seen.plan.step("guard").state, seen.plan.state) == (StepState.VERIFIED, PlanState.DONE)


def test_with_mutations_off_people_carry_it_out_and_the_bot_looks() -> None:
    guard = step(probe=Probe.OPERATOR_REACTED)
    plan = active(guard, step("swap-off", guard, verb=Verb.HOST), dry=True)
    told = played(plan, report("good"))
    assert told.step("guard").state is StepState.ATTESTED
    assert told.step("swap-off").state is StepState.PENDING
    assert decided(told, verify("fails")).plan == told
    assert played(told, verify("holds")).step("swap-off").state is StepState.AWAITING


def test_an_unknown_step_takes_two_people_who_agree() -> None:
    first = decided(unknown(), resolve("happened", ANN))
    assert (first.reason, first.plan.step("guard").state) == ("repair-resolve-second-needed", StepState.UNKNOWN)
    assert decided(first.plan, resolve("happened", ANN)).plan.step("guard").state is StepState.UNKNOWN
    differs = decided(first.plan, resolve("did-not", BEN))
    assert (differs.reason, differs.plan.step("guard").state) == ("repair-resolve-differs", StepState.UNKNOWN)
    assert decided(differs.plan, resolve("did-not", CLEO)).plan.step("guard").state is StepState.FAILED
    agreed = decided(first.plan, resolve("happened", BEN)).plan
    assert (agreed.step("guard").state, agreed.step("guard").told_by) == (StepState.ATTESTED, (ANN, BEN))
    assert agreed.state is PlanState.HALTED


@pytest.mark.parametrize(("result", "state"), [("happened", StepState.ATTESTED), ("did-not", StepState.FAILED)])
def test_one_person_resolves_in_a_team_of_one(result: str, state: StepState) -> None:
    assert decided(unknown(), resolve(result), policy=SOLO).plan.step("guard").state is state


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"reason": " "}, "repair-reason-missing"),
        ({"person": NOBODY}, "repair-may-not"),
    ],
)
def test_what_resolves_nothing(more: dict[str, object], reason: str) -> None:
    assert decided(unknown(), resolve(**{"result": "happened", **more})).reason == reason  # type: ignore[arg-type]


def test_a_plan_is_given_up_with_a_reason() -> None:
    plan = host()
    assert decided(plan, abort(reason="")).reason == "repair-reason-missing"
    assert decided(plan, abort(person=NOBODY)).reason == "repair-may-not"
    over = decided(plan, abort()).plan
    assert over.state is PlanState.ABORTED
    assert {one.state for one in over.steps} == {StepState.ABORTED}


def test_people_have_a_window_of_their_own() -> None:
    plan = host()
    window = POLICY.person_window
    assert decided(plan, tick(), later(seconds=window - 1)).plan == plan
    late = decided(plan, report("good"), later(seconds=window))
    assert (late.refused, late.changed, late.reason) == (True, True, "repair-report-expired")
    assert late.plan.state is PlanState.HALTED


@pytest.mark.parametrize(("seconds", "is_over"), [(899, False), (900, True)])
def test_an_approval_comes_in_time_or_not_at_all(seconds: int, is_over: bool) -> None:
    plan = active(step())
    decision = decided(plan, approve(plan, BEN), later(seconds=seconds))
    assert (decision.plan.step("guard").state is StepState.EXPIRED) == is_over
    assert decision.refused == is_over


def test_an_approved_step_begins_in_time_or_not_at_all() -> None:
    plan = active(step())
    plan = played(plan, approve(plan, BEN))
    late = decided(plan, begin(lease_until=later(hours=1)), later(seconds=POLICY.execution_window))
    assert (late.reason, late.plan.step("guard").state) == ("repair-execution-expired", StepState.EXPIRED)
    assert [entry.type for entry in late.entries] == ["expired", "refused", "plan"]


def test_time_alone_writes_nothing_down() -> None:
    plan = host()
    decision = decided(plan, tick())
    assert (decision.changed, decision.refused, decision.entries) == (False, False, ())
