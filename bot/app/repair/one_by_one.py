"""One round over many plans or incidents, in which none holds up those that come after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

import structlog

from bot.app.ports import Clock
from bot.app.repair.deciding import Contended, NoSuchPlan
from bot.app.repair.ports import NotWritten

#: How long something that failed in a way nobody foresaw is left alone: its log would drown all others.
PAUSE = timedelta(seconds=5)

_log = structlog.get_logger(__name__)


class _Named(Protocol):
    @property
    def id(self) -> str: ...


_Thing = TypeVar("_Thing", bound=_Named)


class OneByOne:
    """Does the same for many.

    Args:
        what: is done, for the log.
        clock: decision time.
    """

    def __init__(self, what: str, clock: Clock) -> None:
        self._what = what
        self._clock = clock
        self._failed: dict[str, datetime] = {}

    def each(self, things: Iterable[_Thing], do: Callable[[_Thing], object]) -> int:
        """Do it for each of them; for how many it came to something.

        A journal that is out of reach, or in which others were faster, is asked again in the next round.
        """
        now, came = self._clock.now(), 0
        self._failed = {name: at for name, at in self._failed.items() if now - at < PAUSE}
        for one in things:
            if one.id in self._failed:
                continue
            try:
                came += bool(do(one))
            except (NotWritten, Contended, NoSuchPlan) as why:
                _log.error("not_written", what=self._what, id=one.id, why=str(why))
            except Exception:
                # Broad on purpose: whatever one plan trips over (a runbook that has changed below it, an answer that no
                # adapter foresaw), deadlines and running steps of all the others need this round. Nothing is lost by
                # it: where the plan stands is in the journal, and its next round begins from there.
                _log.exception("left_for_later", what=self._what, id=one.id)
                self._failed[one.id] = now
        return came
