"""What time it is."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The time. World time and decision time are two clocks of this kind."""

    def now(self) -> datetime:
        """The moment, with its zone."""
        ...
