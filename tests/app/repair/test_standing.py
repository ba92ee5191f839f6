"""What a plan needs a person for, and what plans make of their incident. Axes: the verb of the step, its state, the
state of the plan, and what was done after it."""

from __future__ import annotations

import msgspec
import pytest

from bot.app.repair.standing import awaited, is_living, is_untouched, standing
from bot.model.incident import State
from bot.model.refs import Ref, node
from bot.remedy.plan import Plan, PlanState, PlanStep, StepState
from bot.remedy.rules import is_over
from bot.remedy.runbook import Verb
from bot.remedy.table import FINISHED, IN_FLIGHT
from tests.support.cards import INCIDENT
from tests.support.plans import ANA, OMEN2, plan, step


@pytest.mark.parametrize(
    ("verb", "state", "over", "needed"),
    [
        (Verb.LABEL_NODE, StepState.AWAITING, PlanState.ACTIVE, "guard"),
        (Verb.HOST, StepState.AWAITING, PlanState.ACTIVE, "guard"),
        (Verb.OBSERVE, StepState.AWAITING, PlanState.ACTIVE, ""),
        (Verb.OBSERVE, StepState.UNKNOWN, PlanState.HALTED, "guard"),
        (Verb.LABEL_NODE, StepState.UNKNOWN, PlanState.HALTED, "guard"),
        (Verb.LABEL_NODE, StepState.APPLIED, PlanState.ACTIVE, ""),
    ],
)
def test_people_are_needed_to_approve_to_act_and_to_settle_and_never_to_watch(
    verb: Verb, state: StepState, over: PlanState, needed: str
) -> None:
    one = step("guard", state, verb)
    assert awaited(msgspec.structs.replace(plan("p1", "inc1", one), state=over)) == needed


@pytest.mark.parametrize(
    ("over", "told"),
    [
        (PlanState.CHOOSING, (State.WAITING, "choice", "")),
        (PlanState.ACTIVE, (State.WAITING, "guard", "kubelet-swap")),
        (PlanState.HALTED, (State.OPEN, "", "")),
    ],
)
def test_an_incident_knows_which_runbook_has_the_title_of_what_it_waits_for(
    over: PlanState, told: tuple[State, str, str]
) -> None:
    one = msgspec.structs.replace(plan("p1", "inc1", step("guard", StepState.AWAITING)), state=over)
    before = msgspec.structs.replace(INCIDENT, waiting="other", waiting_in="other")
    after = standing(before, (one,))
    assert (after.state, after.waiting, after.waiting_in) == told


@pytest.mark.parametrize("state", StepState)
@pytest.mark.parametrize("over", PlanState)
def test_what_waits_for_anybody_or_is_on_its_way_is_not_over(over: PlanState, state: StepState) -> None:
    one = msgspec.structs.replace(plan("p1", "inc1", step("guard", state)), state=over)
    unsettled = state is StepState.UNKNOWN
    assert is_living(one) is (over not in FINISHED)
    assert is_over(one) is (over in FINISHED and not unsettled and state not in IN_FLIGHT)
    if over in FINISHED:
        assert awaited(one) == ("guard" if unsettled else "")
    assert not (awaited(one) and is_over(one))


@pytest.mark.parametrize(
    ("other", "is_first"),
    [
        (step("other", StepState.PENDING), True),
        (step("other", StepState.APPROVED), True),
        (step("other", StepState.APPROVED, Verb.HAND_OVER), False),
        (step("other", StepState.VERIFIED, Verb.HAND_OVER), False),
        (step("other", StepState.ATTESTED, Verb.HOST), False),
        (msgspec.structs.replace(step("other", verb=Verb.HOST), told_by=(ANA,)), False),
        (msgspec.structs.replace(step("other", StepState.FAILED), exec_id="e1"), False),
    ],
    ids=["its turn has not come", "approved", "a person may be at it", "handed over", "on the host", "told", "begun"],
)
def test_what_people_did_counts_as_begun_like_what_the_bot_did(other: PlanStep, is_first: bool) -> None:
    one = plan("p1", "inc1", other, msgspec.structs.replace(step(state=StepState.INTENT), exec_id="e2"))
    assert is_untouched(one, beside="guard") is is_first
    assert not is_untouched(one)


LEFT = ("gpu-condition-false",)


def _repair(
    name: str, over: PlanState, state: StepState, *, subject: Ref = OMEN2, leaves: tuple[str, ...] = ()
) -> Plan:
    one = plan(name, "inc1", step("gate-off", state))
    return msgspec.structs.replace(one, state=over, subject=subject, leaves=leaves)


DONE = _repair("p1", PlanState.DONE, StepState.VERIFIED, leaves=LEFT)
FAILED = _repair("p2", PlanState.HALTED, StepState.FAILED)
ANOTHER = _repair("p3", PlanState.DONE, StepState.VERIFIED, subject=node("omen3"))
OUTDATED = _repair("p4", PlanState.SUPERSEDED, StepState.SUPERSEDED)
BACK = msgspec.structs.replace(_repair("p5", PlanState.DONE, StepState.VERIFIED), undoes="p1/gate-off")
NOT_BACK = msgspec.structs.replace(BACK, state=PlanState.HALTED)
FAILED_BACK = msgspec.structs.replace(BACK, undoes="p2/gate-off")


@pytest.mark.parametrize(
    ("plans", "state", "left"),
    [
        ((DONE,), State.MITIGATED, LEFT),
        ((DONE, BACK), State.OPEN, ()),
        ((DONE, NOT_BACK), State.MITIGATED, LEFT),
        ((FAILED, FAILED_BACK), State.OPEN, ()),
        ((DONE, FAILED), State.OPEN, LEFT),
        ((FAILED, DONE), State.MITIGATED, LEFT),
        ((FAILED, ANOTHER), State.OPEN, ()),
        ((DONE, ANOTHER), State.MITIGATED, LEFT),
        ((DONE, OUTDATED), State.MITIGATED, LEFT),
        ((OUTDATED,), State.OPEN, ()),
    ],
    ids=[
        "done",
        "taken back",
        "not taken back after all",
        "failed and taken back",
        "a later one failed",
        "a later one is done",
        "one of two objects",
        "both objects",
        "a later one of which nothing was done",
        "nothing was done",
    ],
)
def test_what_was_taken_back_repairs_nothing_and_the_newest_repair_decides(
    plans: tuple[Plan, ...], state: State, left: tuple[str, ...]
) -> None:
    before = msgspec.structs.replace(INCIDENT, left=LEFT)
    after = standing(before, plans)
    assert (after.state, after.left) == (state, left)
