"""Axes: one edit or several, of one message or of two, at once or one after the other, with or without a failure."""

from threading import Event, Thread

import pytest

from bot.adapters.slack.pace import Pace


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def test_the_first_edit_goes_at_once_and_the_next_waits() -> None:
    time, sent = Time(), []
    pace = Pace(1.5, time.monotonic, time.sleep)
    for number in range(3):
        assert pace.take_turn("m", lambda number=number: sent.append((number, time.now)))
    assert sent == [(0, 100.0), (1, 101.5), (2, 103.0)]


def test_messages_do_not_wait_for_each_other() -> None:
    time = Time()
    pace = Pace(1.5, time.monotonic, time.sleep)
    for key in ("a", "b", "c"):
        pace.take_turn(key, lambda: None)
    assert time.slept == []


def test_whoever_waits_gives_way_to_a_later_edit() -> None:
    time, sent = Time(), []
    sleeping, wake = Event(), Event()

    def sleep(seconds: float) -> None:
        if not sleeping.is_set():
            sleeping.set()
            wake.wait()
        time.sleep(seconds)

    pace = Pace(1.5, time.monotonic, sleep)
    pace.take_turn("m", lambda: sent.append("first"))
    outcome: list[bool] = []
    waiter = Thread(target=lambda: outcome.append(pace.take_turn("m", lambda: sent.append("second"))))
    waiter.start()
    assert sleeping.wait(10)
    assert pace.take_turn("m", lambda: sent.append("third"))
    wake.set()
    waiter.join()
    assert sent == ["first", "third"]
    assert outcome == [False]


def test_an_edit_that_fails_fails_for_its_caller_and_holds_up_nobody() -> None:
    time, sent = Time(), []
    pace = Pace(1.5, time.monotonic, time.sleep)

    def fail() -> None:
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError):
        pace.take_turn("m", fail)
    assert pace.take_turn("m", lambda: sent.append("next"))
    assert sent == ["next"]


def test_messages_that_nobody_edits_any_more_are_forgotten() -> None:
    time = Time()
    pace = Pace(1.5, time.monotonic, time.sleep)
    for number in range(100):
        pace.take_turn(number, lambda: None)
        time.now += 2
    assert len(pace._turns) == 1
