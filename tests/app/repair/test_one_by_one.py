"""A plan that trips the bot up does not hold up the next. Axes: which round, what comes of it when it can be told."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from bot.app.repair.one_by_one import PAUSE
from bot.app.requests import PressKind
from bot.model.incident import Incident
from bot.model.message import Message
from bot.remedy.decision import Decision, Entry
from bot.remedy.plan import BOT, Plan
from tests.app.repair.small import Small
from tests.support.repair import ANA, BEN, PlainCards


class Stumbling(PlainCards):
    """Cards that cannot word any step of the first plan."""

    stumbles = True

    def step(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        if self.stumbles and plan.id.endswith("-1"):
            raise KeyError("what nobody foresaw")
        return super().step(plan, step_id, incident)


class Two(Small):
    """The small plan, and the same once more; only another process words both."""

    def __init__(self, url: str) -> None:
        super().__init__(url, alerts=("f-omen2@1",))
        self.second = msgspec.structs.replace(self.plan(), id=f"{self.incident.id}-2", revision=0)
        entry = Entry(type="plan-offered", at=self.clock.now(), actor=BOT, plan=self.second.id)
        decision = Decision(plan=self.second, changed=True, reason="offered", entries=(entry,))
        assert self.journal.commit("offered-2", self.journal.read(self.second.id), decision)
        self.repairs.sweeper.run_once()
        self.cards = Stumbling()
        self.other = self.replica("two", cards_of=lambda _: self.cards)

    def of_second(self) -> str:
        found = self.journal.read(self.second.id).plan
        assert found is not None
        return found.step("first").state.value

    def approve_both(self) -> None:
        self.approve(BEN)
        self.approve(BEN, plan=self.second.id)


@pytest.fixture
def two(redis_url: str) -> Two:
    return Two(redis_url)


def test_the_next_plan_is_carried_out(two: Two) -> None:
    two.approve_both()
    two.clock.pass_by(timedelta(seconds=1))
    two.run(two.other)

    assert two.of_second() == "verified"


def test_the_next_plan_is_verified(two: Two) -> None:
    two.approve_both()
    two.cluster.is_gone = True
    two.run()
    assert (two.states()[0], two.of_second()) == ("applied", "applied")
    two.cluster.is_gone = False
    two.other.verifier.run_once()

    assert two.of_second() == "verified"


def test_the_next_plan_is_swept_and_told(two: Two) -> None:
    two.clock.pass_by(timedelta(hours=1))
    two.other.sweeper.run_once()

    assert (two.states()[0], two.of_second()) == ("expired", "expired")
    assert f"plan {two.second.id} halted" in two.thread()


def test_a_freeze_reaches_the_next_plan(two: Two) -> None:
    two.other.desk.handle(two.press(PressKind.FREEZE, ANA, "", plan="", reason="wrong node"))

    assert "step first FROZEN by slack:T0TEAM/U0ANA" in two.thread()


def test_what_tripped_it_up_is_tried_again_after_a_while(two: Two) -> None:
    two.clock.pass_by(timedelta(hours=1))
    two.other.sweeper.run_once()
    two.cards.stumbles = False
    two.other.sweeper.run_once()
    assert f"plan {two.plan().id} halted" not in two.thread()
    two.clock.pass_by(PAUSE)
    two.other.sweeper.run_once()

    assert f"plan {two.plan().id} halted" in two.thread()
