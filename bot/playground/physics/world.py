"""World time, which may run faster than the wall's, and the loop that lets the controllers act in it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, Protocol

from bot.playground.physics.api import Api

#: World time goes no further than this beyond the last round of the controllers, or beyond its beginning. On a machine
#: that has other things to do it stands still instead: nobody's Lease runs out because nobody came to renew it.
STRIDE = timedelta(minutes=2)


class WorldClock:
    """World time: begins at `start` and runs `speed` times as fast as the wall's clock.

    Args:
        start: the world's moment at the wall's moment of making this clock.
        speed: world seconds per wall second.
        wall: the wall's clock, in seconds from any moment (`time.monotonic`).
    """

    def __init__(self, start: datetime, speed: float, wall: Callable[[], float]) -> None:
        self._wall = wall
        # One value, since the controllers read it on a thread of their own.
        self._pace = _Pace(start, wall(), speed, start + STRIDE)
        self._changing = threading.Lock()

    def now(self) -> datetime:
        """The world's moment."""
        return self._pace.at(self._wall())

    def run(self, speed: float) -> None:
        """Run at this speed from now on; no moment is left out, and none comes twice."""
        with self._changing:
            wall = self._wall()
            self._pace = self._pace._replace(start=self._pace.at(wall), began=wall, speed=speed)

    def begin_round(self) -> None:
        """The controllers act now, so that time may go on for one stride."""
        with self._changing:
            wall = self._wall()
            now = self._pace.at(wall)
            self._pace = self._pace._replace(start=now, began=wall, limit=now + STRIDE)


class _Pace(NamedTuple):
    start: datetime
    began: float
    speed: float
    limit: datetime

    def at(self, wall: float) -> datetime:
        return min(self.start + timedelta(seconds=(wall - self.began) * self.speed), self.limit)


class Controller(Protocol):
    """One loop of the cluster: looks at the objects, and acts through the API."""

    def step(self, api: Api, now: datetime) -> None:
        """Look once and act once."""
        ...


class Physics:
    """Lets controllers act, round after round, until it is stopped.

    The first error of a controller ends the loop and is raised by `stop`: a rehearsal that has stopped moving must
    not look like a quiet one.
    """

    def __init__(self, api: Api, clock: WorldClock, controllers: Sequence[Controller], pause: float = 0.2) -> None:
        self._api = api
        self._clock = clock
        self._controllers = controllers
        self._pause = pause
        self._stop = threading.Event()
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="physics", daemon=True)

    def start(self) -> None:
        """Begin, in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """End after the running round.

        Raises:
            Exception: what a controller failed with.
        """
        self._stop.set()
        self._thread.join()
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        while not self._stop.wait(self._pause):
            self._clock.begin_round()
            for controller in self._controllers:
                try:
                    controller.step(self._api, self._clock.now())
                except Exception as why:  # any error ends the rehearsal, and `stop` raises it
                    self._error = why
                    return


def rfc3339(moment: datetime) -> str:
    """A moment as `metav1.Time` writes it, in whole seconds."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def micro_time(moment: datetime) -> str:
    """A moment as `metav1.MicroTime` writes it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
