"""A circuit breaker as a value: after failures in a row of time nothing is tried for a while."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

WINDOW = timedelta(seconds=60)
FAILURES = 5
OPEN_FOR = timedelta(minutes=5)


class Breaker(msgspec.Struct, frozen=True):
    """When it failed lately, and since when it is open (None: closed)."""

    failures: tuple[datetime, ...] = ()
    opened: datetime | None = None

    def allows(self, now: datetime) -> bool:
        """Whether a call may be tried."""
        return self.opened is None or now - self.opened >= OPEN_FOR

    def failed(self, now: datetime) -> Breaker:
        """After a failure; `FAILURES` of them within `WINDOW` open it, so does the first one after it was open."""
        recent = (*(when for when in self.failures if now - when < WINDOW), now)
        return Breaker(recent, now if self.opened or len(recent) >= FAILURES else None)

    def succeeded(self) -> Breaker:
        """After a success: as new."""
        return Breaker()
