"""Small ports for Slack's ear: a queue that only remembers, threads that are the bot's, words that show their key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from threading import Condition, Event

from bot.app.requests import Request
from bot.model.incident import Incident, Place
from bot.model.message import Message


class MemoryQueue:
    """De-duplicates as the durable queue does. While `gate` is closed, nobody gets through."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.calls = 0
        self.waiting = 0
        self.refused = 0
        self.fails = False
        self.gate = Event()
        self.gate.set()
        self._seen: set[str] = set()
        self._changed = Condition()

    def enqueue(self, request: Request, *, dedupe: Sequence[str]) -> bool:
        with self._changed:
            self.calls += 1
            self.waiting += 1
            self._changed.notify_all()
        self.gate.wait()
        with self._changed:
            self.waiting -= 1
            if self.fails:
                self.refused += 1
                self._changed.notify_all()
                raise ConnectionError("the queue is away")
            if self._seen & set(dedupe):
                return False
            self._seen |= set(dedupe)
            self.requests.append(request)
            self._changed.notify_all()
            return True

    def wait_for_waiting(self, count: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self.waiting >= count, timeout=20), f"{self.waiting} of {count}"

    def wait_for_refusals(self, count: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self.refused >= count, timeout=20), f"{self.refused} of {count}"


class Threads:
    """The incidents, by their threads alone."""

    def __init__(self, *places: Place) -> None:
        self.places = set(places)
        self.asked: list[Place] = []

    def by_place(self, place: Place) -> Incident | None:
        self.asked.append(place)
        if place not in self.places:
            return None
        return Incident(
            id="i-1", cluster="lab", keys=(), opened_by="r-1", opened_at=datetime(2026, 10, 30, tzinfo=UTC), place=place
        )


class ShownKeys:
    """A presenter whose texts are the key and its values, with the language before them."""

    def __init__(self, lang: str) -> None:
        self.lang = lang

    def say(self, reason: str, values: Mapping[str, str]) -> Message:
        told = " ".join(f"{key}={value}" for key, value in sorted(values.items()))
        return Message(f"{self.lang}:{reason} {told}".strip())
