"""Which quotes of a finding are shown first, and how a quote is written where room is short."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from bot.model.report import Quoted
from bot.render.visible import clipped

#: A quote that is nothing but a time, as Kubernetes and Python write them.
_TIME = re.compile(r"(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d+)?(?:Z|\+00:00)")


def telling(
    evidence: Iterable[Quoted], shown: Collection[Quoted] = (), title: str = ""
) -> tuple[list[Quoted], list[Quoted]]:
    """What tells something new, and the rest: what was shown already, and what says the same again.

    The order of the check stays, it puts first what made it speak; only what the title says already comes last.
    """
    places = {(one.object, one.field) for one in shown if one.field}
    fresh: list[Quoted] = []
    rest: list[Quoted] = []
    for one in evidence:
        was_shown = one in shown or (one.object, one.field) in places
        is_new = not was_shown and not any(_says_again(one, other) for other in fresh)
        (fresh if is_new else rest).append(one)
    return sorted(fresh, key=lambda one: bool(one.quote) and one.quote in title), rest


def _says_again(one: Quoted, other: Quoted) -> bool:
    """The same words elsewhere, more of the same field (a second taint), or the same event of a like object."""
    if one.quote == other.quote:
        return True
    is_event = one.source == other.source == "event"
    about, before = (_kind(one), _kind(other)) if is_event else (one.object, other.object)
    return bool(one.field) and (about, one.field) == (before, other.field)


def _kind(one: Quoted) -> str:
    return one.object.partition("/")[0]


def is_time(one: Quoted) -> bool:
    """Whether the quote itself says when."""
    return _TIME.fullmatch(one.quote) is not None


def brief(one: Quoted, limit: int) -> str:
    """The quote on one line of at most `limit` characters; a time without fractions of a second."""
    time = _TIME.fullmatch(one.quote)
    return f"{time[1]}Z" if time else clipped(" ".join(one.quote.split("\t")), limit)
