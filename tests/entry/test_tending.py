"""What keeps a failure to the plan that failed, and the loop alive. Axes: how it ends, where it fails."""

from __future__ import annotations

from threading import Event
from typing import Any

import pytest

from bot.entry.tending import executing, guarded


def failing() -> bool:
    raise KeyError("what nobody foresaw")


def killed() -> bool:
    raise KeyboardInterrupt


@pytest.mark.parametrize("came", [True, False])
def test_what_ends_well_says_so(came: bool) -> None:
    assert guarded(lambda: came, what="tick", name="p1") is came


def test_what_nobody_foresaw_is_said_in_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(failing, what="tick", name="p1") is None
    told = capsys.readouterr()
    assert all(one in told.out + told.err for one in ("left_for_later", "tick", "p1", "what nobody foresaw"))


def test_whoever_is_killed_ends() -> None:
    with pytest.raises(KeyboardInterrupt):
        guarded(killed, what="tick", name="p1")


class Rounds:
    """An executor whose list of plans cannot be read the first time."""

    def __init__(self, stop: Event) -> None:
        self.executor, self.stop, self.count = self, stop, 0

    def run_once(self) -> int:
        self.count += 1
        if self.count == 1:
            failing()
        self.stop.set()
        return 0


class Impatient(Event):
    def wait(self, timeout: float | None = None) -> bool:
        return self.is_set()


def test_a_round_that_fails_is_followed_by_another() -> None:
    stop = Impatient()
    rounds: Any = Rounds(stop)
    assert executing(rounds, lambda: None, lambda _: None)(stop) == 0
    assert rounds.count == 2
