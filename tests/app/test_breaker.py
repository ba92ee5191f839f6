"""Axes: number of failures, their spacing, the time since it opened, what the next call does."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.app.breaker import FAILURES, OPEN_FOR, WINDOW, Breaker
from tests.support.answers import AT


def after(failures: int, apart: timedelta) -> Breaker:
    breaker = Breaker()
    for place in range(failures):
        breaker = breaker.failed(AT + place * apart)
    return breaker


@pytest.mark.parametrize(
    ("failures", "apart", "allowed"),
    [
        (0, timedelta(0), True),
        (FAILURES - 1, timedelta(seconds=1), True),
        (FAILURES, timedelta(seconds=1), False),
        (FAILURES * 3, WINDOW / (FAILURES - 1), True),
    ],
    ids=["new", "one too few", "enough", "too far apart"],
)
def test_it_opens_after_failures_that_are_close(failures: int, apart: timedelta, allowed: bool) -> None:
    breaker = after(failures, apart)
    assert breaker.allows(AT + failures * apart) is allowed


@pytest.mark.parametrize(("later", "allowed"), [(OPEN_FOR - timedelta(seconds=1), False), (OPEN_FOR, True)])
def test_it_stays_open_for_its_time(later: timedelta, allowed: bool) -> None:
    assert after(FAILURES, timedelta(0)).allows(AT + later) is allowed


def test_the_first_call_after_that_decides() -> None:
    opened = after(FAILURES, timedelta(0))
    retried = AT + OPEN_FOR
    assert not opened.failed(retried).allows(retried + timedelta(seconds=1))
    assert opened.succeeded() == Breaker()
