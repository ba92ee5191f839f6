"""How long something has lasted, in words."""

from __future__ import annotations

from datetime import datetime, timedelta

import humanize

#: Our language, and what humanize calls its locale (None is its built-in English).
_LOCALES: dict[str, str | None] = {"en": None, "ko": "ko_KR"}


def lasted(since: datetime, at: datetime, lang: str) -> str:
    """`112 days`; empty for what lies ahead of `at`."""
    if since > at:
        return ""
    # humanize keeps its locale per thread; it is put back at once, so that no other text changes with it.
    humanize.activate(_LOCALES.get(lang))
    try:
        return humanize.naturaldelta(at - since, months=False)
    finally:
        humanize.deactivate()


def span(seconds: int, lang: str) -> str:
    """`2 minutes`; what is left over a minute is told in the next smaller unit."""
    humanize.activate(_LOCALES.get(lang))
    try:
        return humanize.precisedelta(timedelta(seconds=seconds))
    finally:
        humanize.deactivate()
