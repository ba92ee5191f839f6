"""The loops that look after plans: one that only looks, and one that also carries out what is approved."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

import structlog

from bot.app.repair.together import Repairs

#: Seconds between two rounds, and rounds between two sweeps.
_ROUND = 1.0
_SWEEP = 5
_PAUSE = 5.0

_log = structlog.get_logger(__name__)


def tending(repairs: Repairs) -> Callable[[Event], int]:
    """Verify what waits for the cluster's answer, and let time pass for plans, until the event is set."""
    rounds = 0

    def once() -> None:
        nonlocal rounds
        repairs.verifier.run_once()
        if rounds % _SWEEP == 0:
            repairs.sweeper.run_once()
        rounds += 1

    return _again(once, lambda stop: stop.wait(_ROUND))


def executing(repairs: Repairs, here: Callable[[], None], wait: Callable[[Event], object]) -> Callable[[Event], int]:
    """Carry out what is approved until the event is set.

    Args:
        repairs: with an executor.
        here: says that an executor is here.
        wait: until a step is approved, or a moment has passed.
    """

    def once() -> None:
        here()
        if repairs.executor is not None:
            repairs.executor.run_once()

    return _again(once, wait)


def _again(once: Callable[[], None], wait: Callable[[Event], object]) -> Callable[[Event], int]:
    def run(stop: Event) -> int:
        while not stop.is_set():
            try:
                once()
                wait(stop)
            except Exception:
                # Broad on purpose: whatever one round trips over, deadlines and running steps need the next one. No
                # step is lost by it: its state is in the journal, and the round begins from there.
                _log.exception("round_failed")
                stop.wait(_PAUSE)
        return 0

    return run
