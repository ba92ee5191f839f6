"""The top-level text of a message: what a locked phone and a screen reader say.

Its first 100 characters carry state, cluster, object and hazard; the rest carries the decision.
"""

from __future__ import annotations

from collections.abc import Iterable

from bot.render.slack.pen import plain
from bot.render.visible import clipped, middle_cut, visible

_FIRST = 100
#: A state that names a step by its title leaves so much for the hazard, but is never cut to less than that.
_HAZARD, _STATE = 24, 36
_CLUSTER = 20
_OBJECT = 36
#: Slack cuts a text at 40,000 characters; nobody listens to more than this, and escapes make it longer.
_WHOLE = 3_000
_WRITTEN = 3_900


def push_text(state: str, cluster: str, about: str, urgent: str, rest: Iterable[str] = ()) -> str:
    """One line for the lock screen, then the rest.

    Args:
        state: `OPEN`, `RESOLVED`, ... .
        cluster: its name.
        about: the object, such as `node/omen2`; a long one loses its middle, both ends tell it apart.
        urgent: the hazard, or where there is none what is known of the cause.
        rest: further lines, the first of them most important.
    """
    where = f"{clipped(visible(cluster), _CLUSTER)} {middle_cut(visible(about), _OBJECT)}"
    head = f"{clipped(visible(state), max(_STATE, _FIRST - _HAZARD - len(where)))} {where}"
    urgent = visible(urgent)
    first = clipped(f"{head}: {urgent}", _FIRST) if urgent else head
    lines = [first, *([urgent] if not first.endswith(urgent) else []), *(visible(line) for line in rest if line)]
    return written(lines)


def written(lines: Iterable[str]) -> str:
    """Lines without markup, as many as somebody listens to."""
    kept = [plain(line) for line in clipped("\n".join(lines), _WHOLE).split("\n")]
    while len(kept) > 1 and sum(len(line) + 1 for line in kept) > _WRITTEN:
        kept.pop()
    return "\n".join(kept)
