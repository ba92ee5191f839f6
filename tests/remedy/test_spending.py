"""What failures freeze. Axes: how many there were, how long ago, of what kind, and what is frozen already."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from bot.remedy.decision import Budget, Freeze
from bot.remedy.plan import BOT
from tests.support.repairs import AT, FROZEN, approved, begin, decided, outcome, played


def failures(*moments: datetime) -> Budget:
    return Budget(failures=moments, failures_per_hour=3)


@pytest.mark.parametrize("event", [outcome("refused"), outcome("unclear")])
def test_the_third_failure_within_an_hour_freezes_everything(event: object) -> None:
    plan = played(approved(), begin())
    decision = decided(plan, event, budget=failures(AT, AT))  # type: ignore[arg-type]
    assert decision.freeze == Freeze(frozen=True, why="repair-froze-itself", by=BOT, since=AT)
    assert decision.entries[-1].type == "freeze"


@pytest.mark.parametrize(
    ("budget", "result"),
    [(failures(AT), "refused"), (failures(AT - timedelta(hours=2), AT), "refused"), (failures(AT, AT, AT), "applied")],
    ids=["second", "long ago", "no failure"],
)
def test_fewer_failures_do_not(budget: Budget, result: str) -> None:
    assert decided(played(approved(), begin()), outcome(result), budget=budget).freeze is None


def test_what_is_frozen_is_not_frozen_again() -> None:
    plan = played(approved(), begin())
    assert decided(plan, outcome("refused"), budget=failures(AT, AT), freeze=FROZEN).freeze is None
