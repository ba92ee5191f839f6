"""A queue in memory, and one that is out of reach."""

from collections.abc import Sequence

from bot.app.ports import QueueUnavailable
from bot.app.requests import Request


class MemoryQueue:
    """`app.ports.Queue` in memory; `down` makes it refuse."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.seen: set[str] = set()
        self.down = False

    def enqueue(self, request: Request, *, dedupe: Sequence[str]) -> bool:
        if self.down:
            raise QueueUnavailable("connection refused")
        if self.seen.intersection(dedupe):
            return False
        self.seen.update(dedupe)
        self.requests.append(request)
        return True
