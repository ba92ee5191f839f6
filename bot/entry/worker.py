"""The worker: takes requests off the queue and has them handled, several at the same time.

A slow diagnosis holds up nobody while a slot is free. What is taken and not finished, because the process was killed
or the handler raised, comes again by the queue; what fails again and again is put aside and said.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import structlog

from bot.app.ports import InHand, QueueUnavailable
from bot.app.ports.queue import Delivery, WorkQueue
from bot.app.requests import Request

_log = structlog.get_logger(__name__)
#: Deliveries of a request before it is given up; between two of them lies the queue's idle time of half a minute.
ATTEMPTS = 5
#: Seconds between two looks at running work; the queue's idle time must be a multiple of it.
_LOOK_SECONDS = 1.0
#: Seconds to wait when the queue is out of reach.
_PAUSE_SECONDS = 2.0


class Worker:
    """Runs until it is told to stop.

    Args:
        queue: where requests come from.
        handle: does one; whatever it raises means that the request must come again.
        give_up: tells people that a request is given up.
        slots: how many at the same time.
    """

    def __init__(
        self, queue: WorkQueue, *, handle: Callable[[Request], None], give_up: Callable[[Request], None], slots: int
    ) -> None:
        self._queue = queue
        self._handle = handle
        self._give_up = give_up
        self._slots = slots
        self._running: dict[Future[None], Delivery] = {}

    def run(self, stop: threading.Event, *, grace: float) -> int:
        """Work until `stop` is set, then let what runs finish.

        Args:
            stop: set from a signal handler or another thread.
            grace: seconds that running work gets to finish.

        Returns:
            How many were still running after that; they are not acknowledged and come again elsewhere. Python waits
            for their threads at its exit, so a process that must end now has to end itself.
        """
        pool = ThreadPoolExecutor(self._slots, thread_name_prefix="worker")
        while not stop.is_set():
            try:
                self._turn(pool)
            except QueueUnavailable as why:
                _log.warning("queue_unreachable", why=str(why))
                stop.wait(_PAUSE_SECONDS)
        return self._drain(pool, grace)

    def _turn(self, pool: ThreadPoolExecutor) -> None:
        """Take as much as there are free slots, so that nothing waits here that another replica could do."""
        self._look_after_running()
        free = self._slots - len(self._running)
        if not free:
            wait(self._running, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
            return
        for delivery in self._queue.take(free):
            self._running[pool.submit(self._work, delivery)] = delivery

    def _look_after_running(self) -> None:
        self._running = {future: delivery for future, delivery in self._running.items() if not future.done()}
        self._queue.renew([delivery.entry for delivery in self._running.values()])

    def _drain(self, pool: ThreadPoolExecutor, grace: float) -> int:
        pool.shutdown(wait=False)
        for _ in range(max(1, round(grace / _LOOK_SECONDS))):
            try:
                self._look_after_running()
            except QueueUnavailable as why:
                # The work itself may still end well; another replica may do it once more.
                _log.warning("queue_unreachable", why=str(why))
            if not self._running:
                break
            wait(self._running, timeout=_LOOK_SECONDS)
        left = [delivery for future, delivery in self._running.items() if not future.done()]
        for delivery in left:
            _log.warning("stopped_before_done", entry=delivery.entry)
        return len(left)

    def _work(self, delivery: Delivery) -> None:
        """Do one delivery, from a thread of the pool."""
        log = _log.bind(entry=delivery.entry, attempt=delivery.attempt)
        request = delivery.request
        try:
            if request is None:
                log.error("an entry that cannot be read is put aside")
                self._queue.bury(delivery, "unreadable")
            elif delivery.attempt > ATTEMPTS:
                self._put_aside(delivery, request)
            else:
                self._handle(request)
                self._queue.done(delivery)
        except InHand as why:
            # Another worker says the same at this moment. Nothing has failed: it comes again, to see that it was said.
            log.info("in_hand", key=str(why))
        except Exception:
            # Broad on purpose: whatever a handler trips over, the other slots go on. Nothing is lost by it: the
            # entry is not acknowledged, so the queue brings it again, and counts.
            log.exception("a request failed and comes again", request=request.id if request else "")

    def _put_aside(self, delivery: Delivery, request: Request) -> None:
        log = _log.bind(entry=delivery.entry, request=request.id)
        log.error("a request failed again and again and is put aside", attempts=ATTEMPTS)
        try:
            self._give_up(request)
        except Exception:
            # Broad on purpose: what made the request fail may well make this fail; it must be put aside all the same.
            log.exception("could not tell that a request is given up")
        self._queue.bury(delivery, "failed again and again")
