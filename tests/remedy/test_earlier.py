"""What was done before on the same object. Axes: when, what the audit has of it."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from bot.remedy.earlier import attributed, lately
from bot.remedy.plan import Earlier
from tests.support.repairs import AT


@pytest.mark.parametrize(
    ("at", "ago"),
    [
        (AT - timedelta(minutes=12), 720),
        (AT, 0),
        (AT + timedelta(minutes=1), 0),
        (None, 0),
        (AT - timedelta(hours=23, minutes=59), 86_340),
        (AT - timedelta(hours=24), None),
    ],
    ids=["lately", "now", "by a clock that goes ahead", "no time", "just within a day", "a day ago"],
)
def test_what_counts_as_lately(at: datetime | None, ago: int | None) -> None:
    assert [one.ago for one in lately([Earlier(exec_id="x", at=at)], AT)] == ([] if ago is None else [ago])


def test_the_audit_says_whose_it_was() -> None:
    entries = [
        {"type": "intent", "plan": "p1", "details.exec_id": "x"},
        {"type": "dispatched", "plan": "p2", "details.exec_id": "y"},
        {"unreadable": "?"},
    ]
    claims = [Earlier(exec_id="x"), Earlier(exec_id="y")]
    assert [one.plan for one in attributed(claims, entries)] == ["p1", ""]
