"""World time: its speed, and a speed that changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.checks.views.liveness import CONTRADICTS
from bot.playground.physics.world import STRIDE, WorldClock

START = datetime(2026, 10, 30, tzinfo=UTC)


def test_a_change_of_speed_neither_skips_nor_repeats_a_moment() -> None:
    wall = [100.0]
    clock = WorldClock(START, 240.0, lambda: wall[0])
    wall[0] += 0.25
    before = clock.now()
    clock.run(1.0)
    assert clock.now() == before == START + timedelta(minutes=1)
    wall[0] += 5
    assert clock.now() == before + timedelta(seconds=5)
    clock.run(240.0)
    wall[0] += 0.125
    assert clock.now() == before + timedelta(seconds=5 + 30)


def test_time_stands_still_until_the_controllers_have_acted_again() -> None:
    """Whoever is kept from renewing its Lease by a busy machine is not dead."""
    wall = [100.0]
    clock = WorldClock(START, 240.0, lambda: wall[0])
    wall[0] += 60
    assert clock.now() == START + STRIDE, "not four hours"
    wall[0] += 60
    clock.run(1.0)
    assert clock.now() == START + STRIDE
    clock.begin_round()
    assert clock.now() == START + STRIDE, "what it stood still is not made up for"
    wall[0] += 1
    assert clock.now() == START + STRIDE + timedelta(seconds=1)


def test_a_stride_is_so_short_that_no_lease_looks_old_before_its_next_renewal() -> None:
    """Until a round has come to the last Lease, two strides may have passed since its renewal."""
    assert 2 * STRIDE < CONTRADICTS
