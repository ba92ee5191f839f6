"""Requests over HTTP that Slack did not sign. Axes: what is wrong with them, how fast, a queue that is away."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from structlog.testing import capture_logs

from bot.app.ports import QueueUnavailable
from bot.app.requests import Notice, Request
from bot.entry.slack.signed import Forgeries
from tests.entry.slack.repairing import FIRST, SlackRepair
from tests.support.redis import SetClock
from tests.support.slack_payloads import signed
from tests.support.slack_ports import MemoryQueue


@pytest.mark.parametrize(("secret", "age"), [("forged", 0), ("signing-secret", 301), ("signing-secret", -302), ("", 0)])
def test_a_request_that_slack_did_not_sign_or_long_ago(repair: SlackRepair, secret: str, age: int) -> None:
    request = signed(repair.clicked("approve", FIRST), secret=secret, at=time.time() - age)
    thread = repair.thread()
    assert repair.side.app.dispatch(request).status == 401
    repair.work()
    (entry,) = [one for one in repair.journal.entries() if one["type"] == "forged"]
    assert (entry["details.reason"], entry["details.count"]) == ("requests-forged", "1")
    # Nobody is told: a stranger must not make the bot speak.
    assert repair.thread() == thread
    assert repair.states() == ["awaiting", "pending"]


def test_a_flood_is_one_entry(repair: SlackRepair) -> None:
    body = repair.clicked("approve", FIRST)
    for _ in range(200):
        assert repair.side.app.dispatch(signed(body, secret="forged")).status == 401
    repair.work()
    assert repair.types().count("forged") == 1


class Wavering(MemoryQueue):
    """A queue that is out of reach while `is_away`."""

    is_away = True

    def enqueue(self, request: Request, *, dedupe: Sequence[str]) -> bool:
        if self.is_away:
            raise QueueUnavailable("away")
        return super().enqueue(request, dedupe=dedupe)


def counts(queue: MemoryQueue) -> list[str]:
    return [one.values["count"] for one in queue.requests if isinstance(one, Notice)]


def test_the_next_minute_tells_how_many_there_were_since() -> None:
    queue, now = MemoryQueue(), [0.0]
    forgeries = Forgeries(queue, SetClock(), lambda: now[0])
    for second in (0, 1, 2, 59, 60, 61):
        now[0] = second
        forgeries.note()
    assert counts(queue) == ["1", "4"]


def test_what_no_queue_took_is_counted_with_the_next() -> None:
    queue, now = Wavering(), [0.0]
    forgeries = Forgeries(queue, SetClock(), lambda: now[0])
    with capture_logs() as logged:
        forgeries.note()
    assert [one["event"] for one in logged] == ["slack_signature_refused", "slack_forgery_not_noted"]
    queue.is_away = False
    now[0] = 60
    forgeries.note()
    assert counts(queue) == ["2"]
