"""`app.writer.DailyCount` inside one process, where no shared count is at hand."""

from __future__ import annotations

from threading import Lock


class CountHere:
    """Counts the calls of one replica; only the newest day is kept."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._day = ""
        self._calls = 0

    def add(self, day: str) -> int:
        """Count one more on this day; returns how many there are now."""
        with self._lock:
            self._calls = self._calls + 1 if day == self._day else 1
            self._day = day
            return self._calls
