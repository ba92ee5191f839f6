"""When people are reminded. Axes: who is waited for, how long before the end, what holds it; and what an end says."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from bot.remedy.decide import decide
from bot.remedy.decision import Budget, Freeze, Policy
from bot.remedy.events import Ticked
from bot.remedy.plan import BOT, Actor, Identity, Plan, PlanState, PlanStep, StepState, Vote
from bot.remedy.runbook import Verb
from bot.remedy.timing import abandoned, closing
from tests.support.plans import AT, plan, step

POLICY = Policy(mutations=True, approval_window=900, person_window=3600)
BEN = Actor("slack:T0TEAM/U0BEN")


def waits(verb: Verb, left: float, **more: object) -> PlanStep:
    return msgspec.structs.replace(step(verb=verb), expires_at=AT + timedelta(minutes=left), **more)


@pytest.mark.parametrize(
    ("verb", "left", "reminds"),
    [
        (Verb.LABEL_NODE, 5.1, False),
        (Verb.LABEL_NODE, 5, True),
        (Verb.LABEL_NODE, 0.1, True),
        (Verb.LABEL_NODE, 0, False),
        (Verb.HOST, 20.1, False),
        (Verb.HOST, 20, True),
        (Verb.OBSERVE, 0.1, False),
    ],
)
def test_people_are_reminded_in_the_last_third_of_their_window(verb: Verb, left: float, reminds: bool) -> None:
    assert [one.action.step for one in closing(plan("p1", "i", waits(verb, left)), POLICY, AT)] == ["guard"] * reminds


@pytest.mark.parametrize(
    "one",
    [
        plan("p1", "i", msgspec.structs.replace(step(verb=Verb.HOST), held=True, expires_at=None)),
        plan("p1", "i", waits(Verb.LABEL_NODE, 5, state=StepState.APPROVED)),
        msgspec.structs.replace(plan("p1", "i", waits(Verb.HOST, 5)), state=PlanState.ABORTED),
    ],
    ids=["held by a freeze", "waits for the executor", "the plan is over"],
)
def test_nobody_is_reminded_of_what_no_press_could_change(one: Plan) -> None:
    assert closing(one, POLICY, AT) == ()


@pytest.mark.parametrize(
    ("late", "why", "values"),
    [
        (waits(Verb.LABEL_NODE, 0), "repair-approval-expired", {"have": "0", "need": "2"}),
        (
            waits(Verb.LABEL_NODE, 0, votes=(Vote(actor=BEN, approve=True, digest="d" * 64, at=AT),)),
            "repair-approval-expired",
            {"have": "1", "need": "2"},
        ),
        (waits(Verb.HOST, 0), "repair-approval-expired", {"have": "0", "need": "2"}),
        (waits(Verb.HOST, 0, state=StepState.APPROVED), "repair-report-expired", {"who": ""}),
        (
            waits(Verb.HOST, 0, state=StepState.APPROVED, told_by=(BEN,)),
            "repair-report-unconfirmed",
            {"who": BEN.id},
        ),
    ],
    ids=["nobody", "one of two", "nobody let a person do it", "no report", "one report"],
)
def test_an_end_says_how_far_people_came(late: PlanStep, why: str, values: dict[str, str]) -> None:
    policy = msgspec.structs.replace(POLICY, quorum={late.action.risk: 2})
    event = Ticked(actor=BOT, at=AT, op_id="tick")
    before = plan("p1", "i", late)
    before = msgspec.structs.replace(before, known=dict.fromkeys((BEN.id, before.requester.id), Identity()))
    after = decide(before, event, AT, freeze=Freeze(frozen=False), budget=Budget(), policy=policy).plan.steps[0]
    assert (after.state, after.why) == (StepState.EXPIRED, why)
    assert values.items() <= dict(after.values).items()


def on_its_way(state: StepState, lease: float, window: float | None = None) -> PlanStep:
    until = AT + timedelta(minutes=window) if window is not None else None
    return msgspec.structs.replace(step(state=state), lease_until=AT + timedelta(minutes=lease), expires_at=until)


@pytest.mark.parametrize(
    ("one", "is_abandoned"),
    [
        (on_its_way(StepState.DISPATCHED, -5), True),
        (on_its_way(StepState.DISPATCHED, -4.9), False),
        (on_its_way(StepState.INTENT, -5, 10), True),
        (on_its_way(StepState.APPLIED, -60, -4.9), False),
        (on_its_way(StepState.APPLIED, -60, -5), True),
        (on_its_way(StepState.UNKNOWN, -60, -60), False),
        (on_its_way(StepState.FAILED, -60), False),
    ],
    ids=["sent", "sent just now", "begun", "made, looked at", "made, looked at by nobody", "people are asked", "over"],
)
@pytest.mark.parametrize("over", [PlanState.ACTIVE, PlanState.ABORTED])
def test_people_are_called_where_nobody_goes_on(one: PlanStep, is_abandoned: bool, over: PlanState) -> None:
    found = abandoned(msgspec.structs.replace(plan("p1", "i", one), state=over), AT)
    assert [one.action.step for one in found] == ["guard"] * is_abandoned
