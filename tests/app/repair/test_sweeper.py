"""Axes: how much of a window is left when the bot looks; how often it looks; whether the window began anew; what Slack
does not take when an incident ends.
"""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from bot.app.repair.executor import LEASE
from bot.app.repair.sweeper import LOOK
from bot.app.requests import PressKind
from bot.model.incident import State, Told
from bot.remedy.timing import PATIENCE
from tests.app.repair.small import Small
from tests.support.repair import ANA, BEN, CAI, Fuse, Killed


def look(small: Small, after: timedelta = timedelta(0)) -> list[str]:
    """What the thread says of closing windows once this much more time has passed."""
    small.clock.pass_by(after)
    small.repairs.sweeper.run_once()
    return [one for one in small.thread() if " closes at " in one]


def test_people_are_reminded_once_before_a_window_closes(redis_url: str) -> None:
    small = Small(redis_url)
    assert look(small, timedelta(minutes=9)) == []
    told = look(small, timedelta(minutes=2))
    assert told == [f"first closes at {small.plan().step('first').expires_at}"]
    assert look(small, timedelta(minutes=1)) == told, "once for a window"
    small.start("another")
    assert look(small) == told, "whoever looks"


def test_a_window_that_began_anew_has_a_reminder_of_its_own(redis_url: str) -> None:
    small = Small(redis_url)
    assert len(look(small, timedelta(minutes=11))) == 1
    small.do(small.press(PressKind.FREEZE, ANA, "", reason="storm"))
    assert len(look(small, timedelta(minutes=11))) == 1, "nobody can press anything"
    for who in (BEN, CAI):
        small.do(small.press(PressKind.UNFREEZE, who, ""))
    assert len(look(small)) == 1
    assert len(look(small, timedelta(minutes=11))) == 2


def test_what_is_approved_waits_for_nobody(redis_url: str) -> None:
    small = Small(redis_url)
    small.approve()
    assert look(small, timedelta(minutes=4)) == []


def abandoned(small: Small, after: timedelta) -> list[str]:
    """What the thread says of steps that nobody goes on with, once this much more time has passed."""
    small.clock.pass_by(after)
    small.repairs.sweeper.run_once()
    return [one for one in small.thread() if one.startswith("nobody goes on")]


def dies_sending(small: Small, name: str) -> None:
    """An executor ends when the request has gone out."""
    with pytest.raises(Killed):
        small.run(small.replica(name, Fuse(left=1, after=True), names=("act",)))


def test_people_are_called_once_where_the_executor_never_comes_back(redis_url: str) -> None:
    small = Small(redis_url)
    small.approve()
    dies_sending(small, "dies")
    assert small.states()[0] == "dispatched"
    assert abandoned(small, LEASE + PATIENCE - timedelta(seconds=1)) == []
    told = abandoned(small, timedelta(seconds=1))
    assert told == ["nobody goes on with first, dispatched"]
    small.start("another")
    assert abandoned(small, timedelta(hours=33)) == told, "once, whoever looks"


def test_nobody_is_called_where_another_executor_takes_over(redis_url: str) -> None:
    small = Small(redis_url)
    small.approve()
    dies_sending(small, "dies")
    small.clock.pass_by(LEASE)
    small.run()
    assert small.states()[0] == "verified"
    assert abandoned(small, PATIENCE) == []


def ends(small: Small, looks: int = 1) -> State:
    """Everything is approved and done, nothing is seen any more; what the incident is after so many looks."""
    for step in ("first", "second"):
        small.approve(step=step)
        small.run()
    for _ in range(looks):
        small.repairs.sweeper.run_once()
        small.clock.pass_by(LOOK)
    incident = small.incidents.by_id(small.incident.id)
    assert incident is not None
    return incident.state


@pytest.mark.parametrize("untold", ["plan ", "second: verified", "repair-incident-over"])
def test_an_incident_ends_only_once_everything_of_it_is_told(redis_url: str, untold: str) -> None:
    small = Small(redis_url)
    small.board.fails = [untold, untold]
    assert ends(small) is State.MITIGATED, "nobody would tell it any more"
    small.clock.pass_by(LOOK)
    small.repairs.sweeper.run_once()
    small.clock.pass_by(LOOK)
    small.repairs.sweeper.run_once()

    assert len([one for one in small.thread() if one.startswith(untold)]) == 1
    assert small.thread()[0].startswith("RESOLVED")


def test_whoever_finds_another_at_the_last_word_does_not_end_it(redis_url: str) -> None:
    small = Small(redis_url)
    small.board.fails = ["repair-incident-over"]
    assert ends(small) is State.MITIGATED
    now = small.incidents.by_id(small.incident.id)
    assert now is not None
    at_it = Told(at=small.clock.now(), by="another")
    assert small.incidents.save(now, msgspec.structs.replace(now, told={**now.told, "repaired": at_it}))
    small.start("one more")
    small.repairs.sweeper.run_once()
    assert small.thread()[0].startswith("MITIGATED"), "as far as it knows the other one is still at it"
    small.clock.pass_by(LOOK)
    small.repairs.sweeper.run_once()

    assert "repair-incident-over" in small.thread()
    assert small.thread()[0].startswith("RESOLVED")


@pytest.mark.parametrize("untold", ["plan ", "repair-incident-over"])
def test_where_nobody_can_be_told_it_ends_all_the_same(redis_url: str, untold: str) -> None:
    small = Small(redis_url)
    small.board.never = {untold}

    assert ends(small, looks=2) is State.RESOLVED


def test_where_others_read_for_a_while_it_ends_once_it_can_be_told(redis_url: str) -> None:
    small = Small(redis_url)
    small.board.fails = ["repair-incident-over"]
    assert ends(small) is State.MITIGATED
    small.board.shared = {"C0GPU"}
    small.clock.pass_by(LOOK)
    small.repairs.sweeper.run_once()
    assert small.thread()[0].startswith("MITIGATED")
    small.board.shared.clear()
    small.clock.pass_by(LOOK)
    small.repairs.sweeper.run_once()

    assert "repair-incident-over" in small.thread()
    assert small.thread()[0].startswith("RESOLVED")
