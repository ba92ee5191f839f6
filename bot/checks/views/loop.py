"""Whether the machines of a pool are replaced again and again, how often, and how far apart."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

import msgspec

from bot.checks.views.generations import History, Life, histories
from bot.checks.views.gpu_conditions import Mark, marks_in_events, marks_on
from bot.checks.views.karpenter import karpenter_seen
from bot.model.refs import Ref
from bot.model.snapshot import Snapshot, known

#: A successor that was made a little before the old machine's end still replaces it: Karpenter may start it first.
OVERLAP = timedelta(minutes=2)
#: Replacements further apart than this are no loop (the longest toleration of a repair policy is 30 minutes).
LONGEST_GAP = timedelta(hours=1)
#: A loop that has been quiet for three intervals, and at least this long, is over.
QUIET = timedelta(minutes=15)


class Loop(msgspec.Struct, frozen=True, kw_only=True):
    """Machines of one pool that were replaced; `first` and `last` are the times of the first and last end."""

    history: History
    replaced: tuple[Life, ...]
    interval: timedelta | None
    first: datetime
    last: datetime


def loops(snapshot: Snapshot) -> dict[Ref, Loop]:
    """The loop of every pool that has one now."""
    if not karpenter_seen(snapshot):
        return {}
    found: dict[Ref, Loop] = {}
    for pool, history in histories(snapshot).items():
        if loop := loop_of(history, snapshot.at, same_fault=_same_fault(history, snapshot)):
            found[pool] = loop
    return found


def loop_of(history: History, at: datetime, *, same_fault: bool = False) -> Loop | None:
    """The loop of a pool, if there is one now.

    Two replacements at most an hour apart make one; with `same_fault` (a successor is marked as its predecessor
    was) one is enough.
    """
    series = max((history.claims, history.nodes), key=lambda one: len(replaced(one)))
    run = _last_run(replaced(series))
    if len(run) < (1 if same_fault else 2):
        return None
    ends = [one.ended for one in run if one.ended is not None]
    births = sorted(one.born for one in series if one.born is not None and one.born >= ends[0] - LONGEST_GAP)
    interval = _interval(births if len(births) > len(ends) else ends, run)
    if at - ends[-1] > max(QUIET, 3 * interval if interval else QUIET):
        return None
    return Loop(history=history, replaced=run, interval=interval, first=ends[0], last=ends[-1])


def replaced(series: tuple[Life, ...]) -> tuple[Life, ...]:
    """Those that ended for no reason that Karpenter chose, and were followed by another."""
    ended = [one for one in series if one.ended is not None and not one.chosen]
    return tuple(sorted((one for one in ended if was_followed(one, series)), key=lambda one: str(one.ended)))


def was_followed(old: Life, series: tuple[Life, ...]) -> bool:
    """Whether it ended, and another one of the series came in its place."""
    end = old.ended
    return end is not None and any(
        (one.born >= end - OVERLAP if one.born else one.ended is not None and one.ended > end)
        for one in series
        if one is not old
    )


def _last_run(lives: tuple[Life, ...]) -> tuple[Life, ...]:
    """The latest replacements, back to the first longer pause."""
    run: list[Life] = []
    for one in reversed(lives):
        if run and one.ended and run[-1].ended and run[-1].ended - one.ended > LONGEST_GAP:
            break
        run.append(one)
    return tuple(reversed(run))


def _interval(times: Sequence[datetime], run: Sequence[Life]) -> timedelta | None:
    """The middle one of the steps between the times, in whole seconds.

    Where a pool has several machines at once the steps mix their turns: then it is the middle length of a life.
    """
    steps = [(later - earlier).total_seconds() for earlier, later in pairwise(times)]
    lives = [(one.ended - one.born).total_seconds() for one in run if one.ended and one.born]
    if lives and (not steps or median(steps) < median(lives) / 2):
        steps = lives
    return timedelta(seconds=round(median(steps))) if steps else None


def _same_fault(history: History, snapshot: Snapshot) -> bool:
    """Whether a machine that ended and one that goes on carry the same mark."""
    names = {one.ref.name: one for one in history.nodes}
    marks: list[Mark] = [mark for mark in marks_in_events(snapshot) if mark.node in names]
    for node in known(snapshot.nodes):
        marks += marks_on(node) if node.name in names else ()
    gone = {(mark.condition, mark.reason) for mark in marks if names[mark.node].ended}
    return any((mark.condition, mark.reason) in gone for mark in marks if not names[mark.node].ended)


def span(length: timedelta) -> str:
    """A length of time as Kubernetes writes it: `21s`, `11m50s`, `1h2m`."""
    seconds = int(length.total_seconds())
    hours, rest = divmod(seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    if hours:
        return f"{hours}h{minutes}m" if minutes else f"{hours}h"
    if minutes:
        return f"{minutes}m{seconds}s" if seconds else f"{minutes}m"
    return f"{seconds}s"
