"""The ports between the queue and the worker, and the one that counts what costs money."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from bot.app.requests import Request


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """A request handed to a worker. `attempt` counts from 1; `request` is None where the entry cannot be read."""

    entry: str
    request: Request | None
    attempt: int = 1


class WorkQueue(Protocol):
    """The worker's side of the queue: what is taken and not done comes again. All raise `QueueUnavailable`."""

    def take(self, limit: int) -> tuple[Delivery, ...]:
        """Wait a moment for at most so many: those that a dead worker left first, then new ones."""
        ...

    def renew(self, entries: Sequence[str]) -> None:
        """Say that these are still being worked on, so that nobody takes them over."""
        ...

    def done(self, delivery: Delivery) -> None:
        """Take it off the queue."""
        ...

    def bury(self, delivery: Delivery, why: str) -> None:
        """Put it aside for people to look at: it will not come again."""
        ...


class DailyCap(Protocol):
    """A number of uses a day, shared by all replicas."""

    def take(self) -> bool:
        """Use one; False if today's are used up."""
        ...
