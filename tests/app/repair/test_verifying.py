"""When a step counts as seen. Axes: how often it held in a row, how far apart by which clock, what lies between."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.app.repair.together import Repairs
from bot.app.repair.verifying import PAUSE
from bot.model.sections import Unknown, UnknownReason
from tests.app.repair.small import Small
from tests.support.repair import BEN


class Looked:
    """A small plan whose first step is applied and holds for one look."""

    def __init__(self, url: str) -> None:
        self.small = Small(url)
        self.repairs: Repairs = self.small.replica("two", pause=PAUSE)
        self.small.approve(BEN)
        self.small.run(self.repairs)

    def after(self, *, world: float = 0.0, decision: float = 0.0) -> str:
        """The first step's state after one more look, when so many seconds of each time have passed."""
        self.small.world.pass_by(timedelta(seconds=world))
        self.small.clock.pass_by(timedelta(seconds=decision))
        self.repairs.verifier.run_once()
        return self.small.states()[0]


@pytest.fixture
def looked(redis_url: str) -> Looked:
    return Looked(redis_url)


def test_one_look_does_not_settle_it(looked: Looked) -> None:
    assert looked.small.states()[0] == "applied"
    assert looked.after(world=4.9, decision=60) == "applied"


def test_the_second_look_in_a_row_settles_it_once_enough_of_the_clusters_time_has_passed(looked: Looked) -> None:
    assert looked.after(world=5.0) == "verified"


def test_a_look_between_that_does_not_hold_begins_anew(looked: Looked) -> None:
    del looked.small.cluster.labels["first"]
    assert looked.after(world=5.0) == "applied"
    looked.small.cluster.labels["first"] = "on"
    assert looked.after(decision=5.0) == "applied"
    assert looked.after(world=4.9) == "applied"
    assert looked.after(world=0.1) == "verified"


def test_a_look_between_that_cannot_tell_begins_anew(looked: Looked) -> None:
    looked.small.cluster.unreadable = Unknown(UnknownReason.FAILED, "time-out")
    assert looked.after(world=5.0) == "applied"
    looked.small.cluster.unreadable = None
    assert looked.after(decision=5.0) == "applied"
    assert looked.after(world=5.0) == "verified"


def test_what_held_when_its_time_was_over_is_still_looked_at_once_more(looked: Looked) -> None:
    assert looked.after(world=4.0, decision=600) == "applied"
    assert looked.after(world=1.0) == "verified"


def test_what_held_once_and_no_more_when_its_time_is_over_has_failed(looked: Looked) -> None:
    del looked.small.cluster.labels["first"]
    assert looked.after(world=5.0, decision=600) == "failed"


def test_another_process_begins_its_own_two_looks(looked: Looked) -> None:
    looked.small.world.pass_by(timedelta(seconds=5))
    other = looked.small.replica("three", pause=PAUSE)
    other.verifier.run_once()

    assert looked.small.states()[0] == "applied"
