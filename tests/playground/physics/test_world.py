"""World time: its speed, and a speed that changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.playground.physics.world import WorldClock

START = datetime(2026, 10, 30, tzinfo=UTC)


def test_a_change_of_speed_neither_skips_nor_repeats_a_moment() -> None:
    wall = [100.0]
    clock = WorldClock(START, 240.0, lambda: wall[0])
    wall[0] += 10
    before = clock.now()
    clock.run(1.0)
    assert clock.now() == before == START + timedelta(minutes=40)
    wall[0] += 5
    assert clock.now() == before + timedelta(seconds=5)
    clock.run(240.0)
    wall[0] += 1
    assert clock.now() == before + timedelta(seconds=5 + 240)
