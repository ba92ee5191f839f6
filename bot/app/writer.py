"""What the summary needs from outside: a writer of prose, and a count of how often it was asked today."""

from __future__ import annotations

from typing import Protocol


class WriterFailed(Exception):
    """No text came; the message says why, without anything secret."""


class Writer(Protocol):
    """An LLM that turns text into text. It has no tools, and nothing it says is acted upon."""

    def write(self, instructions: str, evidence: str) -> str:
        """What it wrote, unchecked.

        Raises:
            WriterFailed: no answer within the deadline, a refusal, or something that is no answer.
        """
        ...


class DailyCount(Protocol):
    """How often something happened on one day, across replicas."""

    def add(self, day: str) -> int:
        """Count one more on this day (`2026-10-30`); returns how many there are now."""
        ...
