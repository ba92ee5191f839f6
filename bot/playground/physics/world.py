"""World time, which may run faster than the wall's, and the loop that lets the controllers act in it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Protocol

from bot.playground.physics.api import Api


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
        self._pace = (start, wall(), speed)

    def now(self) -> datetime:
        """The world's moment."""
        start, began, speed = self._pace
        return start + timedelta(seconds=(self._wall() - began) * speed)

    def run(self, speed: float) -> None:
        """Run at this speed from now on; no moment is left out, and none comes twice."""
        start, began, before = self._pace
        wall = self._wall()
        self._pace = (start + timedelta(seconds=(wall - began) * before), wall, speed)


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
