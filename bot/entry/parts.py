"""Parts of the service from what has no thread of its own: a loop that obeys an event, a thing to open and close."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread


class Loop:
    """A `service.Part` that runs a function in a thread until its event is set.

    Args:
        name: of the part and its thread.
        run: gets the event; returns how much it left undone.
    """

    def __init__(self, name: str, run: Callable[[Event], int]) -> None:
        self.name = name
        self._run = run
        self._stop = Event()
        self._left = 0
        # A thread that hangs must not hold up the end of the process.
        self._thread = Thread(target=self._loop, name=name, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Set the event."""
        self._stop.set()

    def join(self, seconds: float) -> bool:
        """Wait for the function; True if it left nothing undone."""
        self._thread.join(seconds)
        return not self.alive() and not self._left

    def alive(self) -> bool:
        """Whether the function runs."""
        return self._thread.is_alive()

    def _loop(self) -> None:
        self._left = self._run(self._stop)


class Connection:
    """A `service.Part` that is opened and closed, and keeps itself alive in between.

    Args:
        name: of the part.
        connect: opens it; what it raises ends the service.
        close: closes it, and returns when what it began is done.
    """

    def __init__(self, name: str, connect: Callable[[], None], close: Callable[[], None]) -> None:
        self.name = name
        self._connect = connect
        self._closing = Thread(target=close, name=f"{name}-closing", daemon=True)

    def start(self) -> None:
        """Open it."""
        self._connect()

    def stop(self) -> None:
        """Close it, without waiting."""
        self._closing.start()

    def join(self, seconds: float) -> bool:
        """Wait until it is closed."""
        self._closing.join(seconds)
        return not self._closing.is_alive()

    def alive(self) -> bool:
        """Always: whether it hears anything is a question of readiness."""
        return True
