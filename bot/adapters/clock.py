"""The time of this machine."""

from __future__ import annotations

from datetime import UTC, datetime


class WallClock:
    """`app.ports.Clock`: what the machine's clock shows."""

    def now(self) -> datetime:
        """The moment, in UTC."""
        return datetime.now(UTC)
