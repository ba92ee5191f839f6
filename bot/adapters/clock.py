"""The machine's clock."""

from __future__ import annotations

from datetime import UTC, datetime


class WallClock:
    """`app.ports.Clock`: wall time, in UTC."""

    def now(self) -> datetime:
        """The moment."""
        return datetime.now(UTC)
