"""Requests over HTTP that Slack did not sign, or too long ago: refused, and noted so that nobody can flood the audit.

Socket Mode knows no signature: the connection is the proof. `serve` speaks that alone, so a stranger reaches this only
where somebody puts the app behind HTTP.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from http import HTTPStatus
from threading import Lock
from typing import Any

import structlog
from slack_bolt import App, BoltRequest, BoltResponse

from bot.app.ports import Clock, Queue, QueueUnavailable
from bot.app.requests import Notice

#: The audit's entry.
FORGED = "forged"
#: Seconds between two entries. Anybody can send anything, and the audit is kept for good.
_APART = 60.0

_log = structlog.get_logger(__name__)


class Forgeries:
    """Notes refused requests: one entry for the first, then one a minute at most with how many there were since.

    The last of a series are counted by the entry of the next, or by the log alone. Nothing that the stranger sent is
    kept, and nobody is told: a stranger must not make the bot speak.

    Args:
        queue: takes the notice.
        clock: decision time.
        monotonic: seconds that never go back.
    """

    def __init__(self, queue: Queue, clock: Clock, monotonic: Callable[[], float]) -> None:
        self._queue = queue
        self._clock = clock
        self._monotonic = monotonic
        self._lock = Lock()
        self._count = 0
        self._next = float("-inf")

    def note(self) -> None:
        """Count one more, and note them if it is time; a queue that is away gets them with the next."""
        with self._lock:
            self._count += 1
            now, count = self._monotonic(), self._count
            if now < self._next:
                return
            self._next, self._count = now + _APART, 0
        _log.warning("slack_signature_refused", count=count)
        values = {"count": str(count)}
        name = f"forged:{uuid.uuid4().hex}"
        notice = Notice(
            id=name, entry=FORGED, reason="requests-forged", values=values, at=self._clock.now(), is_told=False
        )
        try:
            self._queue.enqueue(notice, dedupe=())
        except QueueUnavailable as why:
            _log.error("slack_forgery_not_noted", count=count, why=str(why))
            with self._lock:
                self._count += count


class SignedApp(App):
    """Bolt, which refuses with 401 what Slack did not sign within the last five minutes; this notes that it did."""

    def __init__(self, forgeries: Forgeries, **options: Any) -> None:
        super().__init__(**options)
        self._forgeries = forgeries

    def dispatch(self, req: BoltRequest) -> BoltResponse:
        """See `App.dispatch`."""
        answer = super().dispatch(req)
        if answer.status == HTTPStatus.UNAUTHORIZED:
            self._forgeries.note()
        return answer
