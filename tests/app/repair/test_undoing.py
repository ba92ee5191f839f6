"""Temporary changes and how they are taken back. Axes: who asks; what is there to take back; what comes of it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.app.repair.ports import Draft, Prepared
from bot.app.repair.sweeper import NAG
from bot.app.requests import PressKind
from bot.model.incident import State
from bot.model.sections import NotInstalled, Unknown, UnknownReason
from bot.remedy.plan import Actor, Plan, PlanState, PlanStep, StepState
from bot.remedy.runbook import Risk
from tests.app.repair.small import Small, call, labelling
from tests.support.repair import ANA, BEN, CAI, EVE, CountingHands

DAY = 86_400
UNDO = labelling(
    "first-off", Risk.DISRUPTIVE, (), params={"label": "first", "value": "off"}, verify=call("first", "off")
)


@pytest.fixture
def small(redis_url: str) -> Small:
    """Both labels are set; the first is temporary."""
    one = Small(redis_url, undo=UNDO, temporary_for=DAY)
    for step in ("first", "second"):
        one.approve(step=step)
        one.run()
    assert one.plan().state is PlanState.DONE
    return one


def plans(small: Small) -> list[Plan]:
    """Those that take something back."""
    return [one for one in small.journal.plans(incident=small.incident.id) if one.undoes]


def undoing(small: Small) -> PlanStep:
    (plan,) = plans(small)
    return plan.step("first-off")


def ask(small: Small, step: str = "first") -> None:
    small.do(small.press(PressKind.UNDO, ANA, step))


def press_on_it(small: Small, kind: PressKind, who: Actor) -> None:
    (plan,) = plans(small)
    small.do(small.press(kind, who, "first-off", plan=plan.id, digest=undoing(small).digest[:32]))


def taken_back(small: Small) -> None:
    ask(small)
    press_on_it(small, PressKind.APPROVE, BEN)
    small.run()
    small.repairs.sweeper.run_once()


def test_it_is_a_plan_of_its_own_that_waits_for_approval(small: Small) -> None:
    ask(small)
    (plan,) = plans(small)

    assert (plan.undoes, plan.requester, plan.state) == (f"{small.plan().id}/first", ANA, PlanState.ACTIVE)
    assert undoing(small).state is StepState.AWAITING
    assert small.cluster.labels["first"] == "on"
    assert any(one.startswith("step first-off awaiting") for one in small.thread())
    assert small.incidents.by_id(small.incident.id).state is State.WAITING  # type: ignore[union-attr]


def test_whoever_presses_at_the_same_time_is_told_that_it_is_asked_for(small: Small) -> None:
    """The other's press comes between the look for such a plan and its writing: while it is dry-run."""
    other = small.press(PressKind.UNDO, BEN)
    prepare = small.hands.prepare

    class Slow(CountingHands):
        def prepare(self, draft: Draft) -> Prepared:
            if not plans(small):
                small.do(other)
            return prepare(draft)

    small.replica("two", hands=Slow()).desk.handle(small.press(PressKind.UNDO, ANA))
    assert [one.requester for one in plans(small)] == [BEN]
    assert small.refused_in_audit() == ["repair-undo-asked"]
    assert small.audit_holds()


def test_once_it_is_seen_nobody_is_reminded_any_more(small: Small) -> None:
    taken_back(small)
    small.clock.pass_by(timedelta(seconds=DAY + 1))
    small.repairs.sweeper.run_once()

    assert small.cluster.labels == {"first": "off", "second": "on"}
    assert [one.state for one in plans(small)] == [PlanState.DONE]
    assert small.plan().step("first").temporary_until is None
    assert not any(one.startswith("still there") for one in small.thread())
    assert small.journal.plans() == (), "nothing is awaited of either plan"
    assert "taken-back" in small.types()
    assert small.audit_holds()


def test_until_then_people_are_reminded_every_day(small: Small) -> None:
    small.clock.pass_by(timedelta(seconds=DAY + 1))
    small.repairs.sweeper.run_once()
    small.repairs.sweeper.run_once()
    small.clock.pass_by(NAG)
    small.repairs.sweeper.run_once()

    assert len([one for one in small.thread() if one.startswith("still there")]) == 2


def test_a_change_that_failed_to_show_may_be_taken_back_too(redis_url: str) -> None:
    one = Small(redis_url, undo=UNDO, temporary_for=DAY, verify=call("never"))
    one.approve()
    one.run()
    one.clock.pass_by(timedelta(minutes=3))
    one.run()
    assert one.plan().step("first").state is StepState.FAILED

    taken_back(one)
    assert one.cluster.labels["first"] == "off"
    assert one.plan().step("first").temporary_until is None


FORBIDDEN = Unknown(UnknownReason.FORBIDDEN, "HTTP 403")
#: What a look at the changed object comes to, and whether that settles the change.
LOOKS: dict[str, tuple[bool, Unknown | NotInstalled | None, bool]] = {
    "it is gone": (True, None, True),
    "it is there": (False, None, False),
    "it cannot be read": (True, FORBIDDEN, False),
    "its kind is not served": (True, NotInstalled("nodes"), False),
}


def day_after(small: Small) -> None:
    small.clock.pass_by(timedelta(seconds=DAY + 1))
    for _ in range(2):
        small.repairs.sweeper.run_once()


def told(small: Small, begin: str) -> int:
    return len([one for one in small.thread() if one.startswith(begin)])


@pytest.mark.parametrize("name", LOOKS)
def test_a_change_that_is_gone_with_its_object_is_settled(small: Small, name: str) -> None:
    small.cluster.is_gone, small.cluster.unreadable, is_settled = LOOKS[name]
    day_after(small)
    day_after(small)

    step = small.plan().step("first")
    assert (step.temporary_until is None, step.gone_at is not None) == (is_settled, is_settled)
    assert told(small, "gone with node/omen2: first") == int(is_settled)
    assert (told(small, "still there") == 0) == is_settled
    assert small.types().count("gone") == int(is_settled)
    assert (step.state, small.journal.plans() == ()) == (StepState.VERIFIED, is_settled)


@pytest.mark.parametrize("name", LOOKS)
def test_to_ask_for_it_finds_that_too(small: Small, name: str) -> None:
    small.cluster.is_gone, small.cluster.unreadable, is_settled = LOOKS[name]
    ask(small)
    assert (told(small, "gone with node/omen2: first"), len(plans(small))) == (int(is_settled), int(not is_settled))
    ask(small)

    assert small.refusals() == ["repair-nothing-temporary" if is_settled else "repair-undo-asked"]


def test_what_is_gone_before_its_time_is_not_looked_for(small: Small) -> None:
    small.cluster.is_gone = True
    small.repairs.sweeper.run_once()
    assert small.plan().step("first").gone_at is None


def test_asking_twice_makes_one_plan(small: Small) -> None:
    press = small.press(PressKind.UNDO, ANA)
    small.do(press, press)
    ask(small)

    assert len(plans(small)) == 1
    assert small.refusals() == ["repair-undo-asked"]


def test_after_a_no_it_may_be_asked_again(small: Small) -> None:
    ask(small)
    press_on_it(small, PressKind.DENY, CAI)
    assert small.plan().step("first").temporary_until is not None

    ask(small)
    assert [one.state for one in plans(small)] == [PlanState.HALTED, PlanState.ACTIVE]


@pytest.mark.parametrize(
    ("who", "step", "digest", "reason"),
    [
        (EVE, "first", "", "repair-may-not"),
        (ANA, "second", "", "repair-nothing-temporary"),
        (ANA, "first", "0" * 32, "repair-other-digest"),
        (ANA, "third", "0" * 32, "repair-no-such-step"),
    ],
)
def test_what_is_refused_makes_no_plan_and_is_noted(
    small: Small, who: Actor, step: str, digest: str, reason: str
) -> None:
    small.do(small.press(PressKind.UNDO, who, step, digest=digest))

    assert plans(small) == []
    assert small.refused_in_audit()[-1] == reason
    assert small.refusals() == [reason]


def test_a_plan_that_the_rules_refuse_is_not_made_and_its_refusal_is_noted(redis_url: str) -> None:
    elsewhere = labelling("first-off", Risk.DISRUPTIVE, (), cluster="elsewhere", verify=call("first", "off"))
    one = Small(redis_url, undo=elsewhere, temporary_for=DAY)
    one.approve()
    one.run()
    ask(one)

    assert plans(one) == []
    assert one.refusals() == ["repair-ill-built"]
    assert one.refused_in_audit() == ["repair-ill-built"]
    assert one.audit_holds()
