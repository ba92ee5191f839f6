"""The durable queue between ear and worker, from both of its sides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from bot.app.requests import Request


class QueueUnavailable(Exception):
    """The request was not kept, as far as is known: whoever brought it must bring it again."""


class Queue(Protocol):
    """The durable queue between ear and worker."""

    def enqueue(self, request: Request, *, dedupe: Sequence[str]) -> bool:
        """Keep the request for a worker; False if any of the dedupe ids was seen before.

        Raises:
            QueueUnavailable: the server is out of reach or refuses to write.
        """
        ...


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
