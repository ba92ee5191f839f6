"""The life of `gpu-autopsy serve`: start the parts, watch them, stop them so that running work ends by itself.

Parts start in their order and stop in the reverse one, so the ears, which come last, close first. What the parts are
is the wiring's business.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Event
from typing import Protocol

import structlog

#: Seconds between two looks at whether every part still runs.
_LOOK = 1.0

_log = structlog.get_logger(__name__)


class Part(Protocol):
    """Something that runs beside the others, in threads of its own."""

    @property
    def name(self) -> str:
        """What health and log call it."""
        ...

    def start(self) -> None:
        """Begin; what is raised here ends the service."""
        ...

    def stop(self) -> None:
        """Take nothing new. Returns at once."""
        ...

    def join(self, seconds: float) -> bool:
        """Wait until what was begun is done; False if it is not after this time."""
        ...

    def alive(self) -> bool:
        """Whether it runs."""
        ...


class Service:
    """Runs parts until it is told to stop, or one of them ends by itself."""

    def __init__(
        self, parts: Sequence[Part], *, stop: Event, grace: float, monotonic: Callable[[], float], look: float = _LOOK
    ) -> None:
        """Take the parts, not yet started.

        Args:
            parts: in the order of their start.
            stop: set from outside (a signal) to end the service.
            grace: seconds that all parts together have to finish.
            monotonic: a clock that only goes forward, in seconds.
            look: seconds between two looks at the parts.
        """
        self._parts = tuple(parts)
        self._stop = stop
        self._grace = grace
        self._monotonic = monotonic
        self._look = look

    def run(self) -> bool:
        """Run; True if the service ended because it was told to, and everything that was begun was done."""
        started: list[Part] = []
        try:
            for part in self._parts:
                part.start()
                started.append(part)
                _log.info("part_started", part=part.name)
            told = self._watch()
        finally:
            done = self._end(started)
        return told and done

    def _watch(self) -> bool:
        while not self._stop.wait(self._look):
            for part in self._parts:
                if not part.alive():
                    _log.error("part_died", part=part.name)
                    return False
        _log.info("stopping")
        return True

    def _end(self, started: Sequence[Part]) -> bool:
        for part in reversed(started):
            part.stop()
        until = self._monotonic() + self._grace
        done = True
        for part in reversed(started):
            if not part.join(max(0.0, until - self._monotonic())):
                # Its requests are not acknowledged, so another replica takes them over.
                _log.error("part_left_running", part=part.name)
                done = False
        return done
