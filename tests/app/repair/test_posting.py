"""An edit that fails. Axes: of a card or of the root, whether Slack may take it later, how long it does not."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from bot.app.incidents import opening
from bot.app.ports import PostFailed
from bot.app.repair.executor import BUTTONS
from bot.app.repair.standing import taken
from bot.app.repair.sweeper import LOOK
from bot.app.requests import PressKind
from bot.app.threads import Threads
from bot.model.incident import Place
from bot.model.message import Message
from tests.app.repair.small import OMEN2, Small
from tests.support.desk import PlainPresenter, SlackBoard
from tests.support.repair import BEN


class Busy(SlackBoard):
    """A board that takes no edits for a while, as Slack does with HTTP 429."""

    is_busy = False

    def edit(self, place: Place, ts: str, message: Message) -> None:
        if self.is_busy:
            raise PostFailed("chat.update: ratelimited")
        super().edit(place, ts, message)


class BusySmall(Small):
    def start(self, name: str) -> None:
        self.board: Busy = Busy()
        super().start(name)


@pytest.fixture
def small(redis_url: str) -> BusySmall:
    return BusySmall(redis_url)


def _card(small: Small) -> str:
    (card,) = [one for one in small.thread() if one.startswith("step first")]
    return card


def test_the_buttons_leave_with_the_next_sweep_after_an_edit_that_failed(small: BusySmall) -> None:
    small.board.is_busy = True
    small.approve(BEN)
    assert "[press]" in _card(small)
    small.board.is_busy = False
    small.repairs.sweeper.run_once()

    assert _card(small) == "step first approved 1"


def test_work_waits_for_its_buttons_to_leave_and_not_for_ever(small: BusySmall) -> None:
    small.board.is_busy = True
    small.approve(BEN)
    small.run()
    assert small.states()[0] == "approved", "its buttons are still there"
    small.clock.pass_by(BUTTONS + timedelta(seconds=1))
    small.run()

    assert small.states()[0] != "approved"
    assert small.hands.acted == 1


def test_a_card_that_is_gone_holds_nothing_up(small: BusySmall) -> None:
    small.board.never = {"edit"}
    small.approve(BEN)
    small.run()

    assert small.states()[0] != "approved"


def test_what_else_there_is_to_tell_does_not_wait_for_an_edit(small: BusySmall) -> None:
    small.board.is_busy = True
    small.do(small.press(PressKind.DENY, BEN))

    assert [one for one in small.thread() if one.startswith("first: denied")]


def _root(small: Small) -> str:
    return small.thread()[0].partition(":")[0]


def test_the_root_shows_how_it_stands_with_the_next_sweep_after_an_edit_that_failed(small: BusySmall) -> None:
    assert _root(small) == "WAITING x0"
    small.board.is_busy = True
    small.do(small.press(PressKind.DENY, BEN))
    small.repairs.sweeper.run_once()
    assert _root(small) == "WAITING x0"
    small.board.is_busy = False
    small.repairs.sweeper.run_once()

    assert _root(small) == "OPEN x0"


def test_the_root_is_not_edited_as_long_as_it_shows_how_it_stands(small: BusySmall) -> None:
    before = len(small.board.edits)
    small.repairs.sweeper.run_once()
    small.start("another")
    small.board.edits.clear()
    small.repairs.sweeper.run_once()

    assert (before > 0, small.board.edits) == (True, [])


def test_a_root_that_is_gone_is_not_tried_again(small: BusySmall) -> None:
    small.board.never = {"edit"}
    small.approve(BEN)
    looked = len(small.investigator.asked)
    small.repairs.sweeper.run_once()

    assert len(small.investigator.asked) == looked


def test_where_nothing_may_be_said_the_cluster_is_looked_at_once_a_minute(small: BusySmall) -> None:
    now = small.incidents.by_id(small.incident.id)
    assert now is not None
    assert small.incidents.save(now, msgspec.structs.replace(now, owner=BEN.id)), "taken in a terminal"
    small.board.shared = {"C0GPU"}
    looked = len(small.investigator.asked)
    for _ in range(3):
        small.repairs.sweeper.run_once()
    assert len(small.investigator.asked) == looked + 1
    small.board.shared.clear()
    small.board.edits.clear()
    small.clock.pass_by(timedelta(minutes=1))
    small.repairs.sweeper.run_once()

    assert [ts for ts, _ in small.board.edits] == [small.incident.root]


def test_who_took_it_stands_in_the_root_with_the_next_sweep(small: BusySmall) -> None:
    small.board.is_busy = True
    small.do(small.press(PressKind.TAKE, BEN, "", plan="", incident=small.incident.id))
    small.board.is_busy = False
    small.board.edits.clear()
    small.repairs.sweeper.run_once()

    assert [ts for ts, _ in small.board.edits] == [small.incident.root]


def test_an_incident_is_over_only_once_its_root_says_so(small: BusySmall) -> None:
    small.approve(BEN)
    small.run()
    small.approve(BEN, step="second")
    small.run()
    small.board.is_busy = True
    small.repairs.sweeper.run_once()
    assert _root(small) != "RESOLVED x0"
    small.board.is_busy = False
    small.clock.pass_by(LOOK)
    small.repairs.sweeper.run_once()

    assert _root(small) == "RESOLVED x0"


def test_what_a_terminal_says_of_an_incident_without_a_plan_stands_in_its_root(small: BusySmall) -> None:
    """Whoever takes it there edits nothing in Slack."""
    threads = Threads(
        incidents=small.incidents, poster=small.board, presenter_of=lambda _: PlainPresenter(), clock=small.clock
    )
    place = Place("C0GPU")
    fires = {"source": "group:2", "keys": ("dead node/omen9",), "alerts": ("b@1",)}
    began = opening(cluster="lab", request_id="r2", at=small.clock.now(), place=place, scope=(OMEN2,), **fires)
    other = threads.post_root(small.incidents.open(began), small.seen)
    threads.update(other, lambda one: taken(one, BEN))
    small.board.edits.clear()
    small.repairs.sweeper.run_once()
    small.repairs.sweeper.run_once()

    assert [ts for ts, _ in small.board.edits] == [other.root]
