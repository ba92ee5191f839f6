"""The writer of prose that the summary needs from outside."""

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
