"""Fills the blanks of the catalogue's texts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

_BLANK = re.compile(r"\{([a-z][a-z0-9_-]*)\}")


def fill(text: str, values: Mapping[str, str | int | datetime], missing: str = "") -> str:
    """Put the values into the blanks, each of them once: what a value holds is never read as a blank.

    A blank without a value never raises, because an answer with a gap is better than none at three in the
    morning: it shows `missing`, or its own key where that is empty.
    """

    def one(blank: re.Match[str]) -> str:
        value = values.get(blank[1])
        if value is None:
            return missing or blank[0]
        return moment(value) if isinstance(value, datetime) else str(value)

    return _BLANK.sub(one, text)


def blanks(text: str) -> frozenset[str]:
    """The keys that a text of the catalogue asks for."""
    return frozenset(_BLANK.findall(text))


def moment(when: datetime) -> str:
    """`2026-10-30 15:39 UTC`; Slack turns this very form into the reader's own time."""
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
