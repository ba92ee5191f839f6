"""One round over many plans or incidents, in which none holds up those that come after it.

What nobody foresaw is caught by the guard, which the shell gives: here only the answers of the journal are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import partial
from typing import Protocol, TypeVar

import structlog

from bot.app.ports import Clock
from bot.app.repair.deciding import NOT_DECIDED

#: How long something that failed in a way nobody foresaw is left alone: its log would drown all others.
PAUSE = timedelta(seconds=5)

_log = structlog.get_logger(__name__)


class Guard(Protocol):
    """Keeps a failure that nobody foresaw to the one thing that failed."""

    def __call__(self, do: Callable[[], bool], *, what: str, name: str) -> bool | None:
        """What `do` says; None where it failed, which is in the log then, with what was done and the thing's name."""
        ...


class _Named(Protocol):
    @property
    def id(self) -> str: ...


_Thing = TypeVar("_Thing", bound=_Named)


class OneByOne:
    """Does the same for many.

    Args:
        clock: decision time.
        guard: what each of them is done under.
    """

    def __init__(self, clock: Clock, guard: Guard) -> None:
        self._clock = clock
        self._guard = guard
        self._failed: dict[tuple[str, str], datetime] = {}

    def each(self, what: str, things: Iterable[_Thing], do: Callable[[_Thing], object]) -> int:
        """Do it for each of them; for how many it came to something.

        What failed is left alone for a while, whatever else is done for it goes on.

        Args:
            what: is done, for the log.
            things: in their order.
            do: the same for each of them.
        """
        now, came = self._clock.now(), 0
        # Presses come from several threads.
        self._failed = {one: at for one, at in tuple(self._failed.items()) if now - at < PAUSE}
        for one in things:
            if (what, one.id) in self._failed:
                continue
            done = self._guard(partial(_do, what, one, do), what=what, name=one.id)
            if done is None:
                self._failed[what, one.id] = now
            came += bool(done)
        return came


def _do(what: str, thing: _Thing, do: Callable[[_Thing], object]) -> bool:
    """Whether it came to something; a journal that is out of reach, or was contended, is asked again next round."""
    try:
        return bool(do(thing))
    except NOT_DECIDED as why:
        _log.error("not_written", what=what, id=thing.id, why=str(why))
        return False
