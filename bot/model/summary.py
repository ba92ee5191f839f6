"""A summary by an LLM, after everything in it that nothing supports has been taken out."""

from __future__ import annotations

import msgspec

from bot.model.diagnosis import Certainty, Key


class Claim(msgspec.Struct, frozen=True):
    """One sentence, and the findings that it rests on."""

    text: str
    cites: tuple[Key, ...]
    certainty: Certainty


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """Words only: nothing reads an action, an object or a parameter out of it."""

    headline: str
    claims: tuple[Claim, ...]
    unknowns: tuple[str, ...] = ()
