"""Prose about a diagnosis: who puts it into words, the writer behind that, and what counts what it costs."""

from __future__ import annotations

from typing import Protocol

from bot.model.diagnosis import Diagnosis
from bot.model.message import Message


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


class Summariser(Protocol):
    """Puts a finished diagnosis into prose; decides nothing."""

    def summary(self, diagnosis: Diagnosis) -> Message | None:
        """A block of its own, or None where there is nothing grounded to say."""
        ...


class DailyCap(Protocol):
    """A number of uses a day, shared by all replicas."""

    def take(self) -> bool:
        """Use one; False if today's are used up."""
        ...
