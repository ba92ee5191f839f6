"""Holds repeated edits of one message apart: Slack allows about one a second, and only the last one matters."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock


class _Turn:
    """One message: who came last, how many are in line, when the next edit may go, and the right to send it."""

    __slots__ = ("free_at", "in_line", "last", "sending")

    def __init__(self) -> None:
        self.sending = Lock()
        self.free_at = float("-inf")
        self.last = 0
        self.in_line = 0


class Pace:
    """At most one call per key and interval; whoever waits gives way to a later one.

    The caller waits itself, so that work counts as done only after its last edit went out: nothing is left in a
    timer when the process dies.
    """

    def __init__(self, interval: float, monotonic: Callable[[], float], sleep: Callable[[float], None]) -> None:
        self._interval = interval
        self._monotonic = monotonic
        self._sleep = sleep
        self._lock = Lock()
        self._turns: dict[Hashable, _Turn] = {}

    def take_turn(self, key: Hashable, call: Callable[[], object]) -> bool:
        """Wait for the turn of this key and call; False if a later one came meanwhile and calls instead."""
        with self._lock:
            self._forget()
            turn = self._turns.setdefault(key, _Turn())
            turn.in_line += 1
            turn.last += 1
            mine = turn.last
            wait = turn.free_at - self._monotonic()
        try:
            if wait > 0:
                self._sleep(wait)
            return self._call(turn, mine, call)
        finally:
            with self._lock:
                turn.in_line -= 1

    def _call(self, turn: _Turn, mine: int, call: Callable[[], object]) -> bool:
        with turn.sending:
            with self._lock:
                if turn.last != mine:
                    return False
                turn.free_at = self._monotonic() + self._interval
            call()
        return True

    def _forget(self) -> None:
        now = self._monotonic()
        for key in [key for key, turn in self._turns.items() if not turn.in_line and turn.free_at < now]:
            del self._turns[key]
