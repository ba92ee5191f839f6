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


def guarded(do: Callable[[], bool], *, what: str, name: str) -> bool | None:
    """See `bot.app.repair.one_by_one.Guard`."""
    try:
        return do()
    except Exception:
        # Broad on purpose: whatever one plan trips over (a runbook that has changed below it, an answer that no adapter
        # foresaw), deadlines and running steps of all the others need this round. Nothing is lost by it: where the plan
        # stands is in the journal, and its next round begins from there.
        _log.exception("left_for_later", what=what, id=name)
        return None


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
                # Broad on purpose: what fails before any plan is reached (the list of plans, the wait itself) must not
                # end the loop either.
                _log.exception("round_failed")
                stop.wait(_PAUSE)
        return 0

    return run
