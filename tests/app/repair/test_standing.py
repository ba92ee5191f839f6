"""What a plan needs a person for. Axes: the verb of the step, its state, the state of the plan."""

from __future__ import annotations

import msgspec
import pytest

from bot.app.repair.standing import is_living, standing, waits_for
from bot.model.incident import State
from bot.remedy.plan import PlanState, StepState
from bot.remedy.rules import is_over
from bot.remedy.runbook import Verb
from bot.remedy.table import FINISHED, IN_FLIGHT
from tests.support.cards import INCIDENT
from tests.support.plans import plan, step


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
    assert waits_for(msgspec.structs.replace(plan("p1", "inc1", one), state=over)) == needed


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
        assert waits_for(one) == ("guard" if unsettled else "")
    assert not (waits_for(one) and is_over(one))
