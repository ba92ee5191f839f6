"""Axes: how long work takes; how it fails; how often it came; what the queue does; when the stop comes."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest
import redis
from structlog.testing import capture_logs

from bot.adapters.redis.client import Keys, connect_reader
from bot.adapters.redis.queue import RedisQueue, RedisWorkQueue
from bot.app.ports import InHand, QueueUnavailable
from bot.app.ports.queue import Delivery
from bot.app.requests import Ask, Request
from bot.entry.worker import ATTEMPTS, Worker
from bot.model.incident import Place
from tests.support.redis import SetClock

LIMIT = 20.0


def ask(request_id: str) -> Ask:
    return Ask(id=request_id, words="omen2", place=Place("C0GPU"), user="U0ONCALL")


class Line:
    """A `WorkQueue` in memory; `stop` is set once everything has been settled."""

    def __init__(self, *deliveries: Delivery, failing: int = 0) -> None:
        self.waiting = list(deliveries)
        self.failing = failing
        self.left = len(deliveries)
        self.events: list[str] = []
        self.stop = threading.Event()
        self.lock = threading.Lock()
        self.renewed: set[str] = set()

    def take(self, limit: int) -> tuple[Delivery, ...]:
        if self.failing:
            self.failing -= 1
            raise QueueUnavailable("gone")
        taken, self.waiting = self.waiting[:limit], self.waiting[limit:]
        if not taken:
            self.stop.wait(0.002)
        return tuple(taken)

    def renew(self, entries: Sequence[str]) -> None:
        self.renewed.update(entries)

    def done(self, delivery: Delivery) -> None:
        self.settle(f"done {delivery.entry}")

    def bury(self, delivery: Delivery, why: str) -> None:
        self.settle(f"buried {delivery.entry}: {why}")

    def settle(self, event: str) -> None:
        with self.lock:
            self.events.append(event)
            self.left -= 1
            if not self.left:
                self.stop.set()


def deliveries(*ids: str, attempt: int = 1) -> list[Delivery]:
    return [Delivery(entry=one, request=ask(one), attempt=attempt) for one in ids]


def run(
    line: Line,
    handle: Callable[[Request], None],
    give_up: Callable[[Request], None] = lambda request: None,
    slots: int = 4,
) -> int:
    return Worker(line, handle=handle, give_up=give_up, slots=slots).run(line.stop, grace=LIMIT)


def test_what_is_handled_is_taken_off_the_queue() -> None:
    line = Line(*deliveries("1", "2", "3"))
    handled: list[str] = []

    assert run(line, lambda request: handled.append(request.id)) == 0
    assert sorted(handled) == ["1", "2", "3"]
    assert sorted(line.events) == ["done 1", "done 2", "done 3"]


def test_slow_work_holds_up_nobody_while_a_slot_is_free() -> None:
    line = Line(*deliveries("slow-1", "slow-2", "slow-3", "fast-1", "fast-2", "fast-3"))
    fast_done = threading.Semaphore(0)

    def handle(request: Request) -> None:
        if request.id.startswith("fast"):
            fast_done.release()
            return
        # The slow ones end only after the fast ones have been done beside them.
        assert fast_done.acquire(timeout=LIMIT), "held up"

    assert run(line, handle, slots=4) == 0
    assert sorted(line.events)[:3] == ["done fast-1", "done fast-2", "done fast-3"]


def test_no_more_is_taken_than_there_are_slots() -> None:
    line = Line(*deliveries(*"123456"))
    running, at_once = set[str](), list[int]()
    pair = threading.Barrier(2)

    def handle(request: Request) -> None:
        running.add(request.id)
        pair.wait(LIMIT)
        # A third one, were it taken, would have begun by now.
        time.sleep(0.02)
        at_once.append(len(running))
        pair.wait(LIMIT)
        running.discard(request.id)

    run(line, handle, slots=2)

    assert at_once == [2] * 6
    assert len(line.events) == 6


@pytest.mark.parametrize(("why", "level"), [(RuntimeError("no such luck"), "error"), (InHand("card"), "info")])
def test_one_that_raises_is_left_for_redelivery_and_the_others_go_on(why: Exception, level: str) -> None:
    line = Line(*deliveries("1", "bad", "2"))
    line.left = 2

    def handle(request: Request) -> None:
        if request.id == "bad":
            raise why

    with capture_logs() as told:
        run(line, handle)

    assert sorted(line.events) == ["done 1", "done 2"]
    assert [one["log_level"] for one in told] == [level]


@pytest.mark.parametrize(("attempt", "is_tried"), [(1, True), (ATTEMPTS, True), (ATTEMPTS + 1, False)])
def test_what_failed_too_often_is_put_aside_and_said(attempt: int, is_tried: bool) -> None:
    line = Line(*deliveries("1", attempt=attempt))
    handled: list[str] = []
    given_up: list[str] = []

    run(line, lambda one: handled.append(one.id), lambda one: given_up.append(one.id))

    assert (handled, given_up) == ((["1"], []) if is_tried else ([], ["1"]))
    assert line.events == (["done 1"] if is_tried else ["buried 1: failed again and again"])


def test_it_is_put_aside_even_if_nobody_can_be_told() -> None:
    line = Line(*deliveries("1", attempt=ATTEMPTS + 1))

    def give_up(request: Request) -> None:
        raise RuntimeError("not even that")

    run(line, lambda request: None, give_up)

    assert line.events == ["buried 1: failed again and again"]


def test_what_cannot_be_read_is_put_aside() -> None:
    line = Line(Delivery(entry="1", request=None))

    run(line, lambda request: None)

    assert line.events == ["buried 1: unreadable"]


def test_a_queue_that_is_away_is_asked_again() -> None:
    line = Line(*deliveries("1"), failing=1)

    run(line, lambda request: None)

    assert line.events == ["done 1"]


def test_what_runs_is_renewed_and_may_finish_after_the_stop() -> None:
    line = Line(*deliveries("1"))

    def handle(request: Request) -> None:
        while "1" not in line.renewed:
            line.stop.wait(0.001)
        line.stop.set()

    assert run(line, handle) == 0
    assert line.events == ["done 1"]


def test_what_does_not_finish_in_time_is_counted_and_not_acknowledged() -> None:
    line = Line(*deliveries("1"))
    release = threading.Event()

    def handle(request: Request) -> None:
        line.stop.set()
        release.wait(LIMIT)

    left = Worker(line, handle=handle, give_up=lambda request: None, slots=1).run(line.stop, grace=0)
    events = list(line.events)
    release.set()

    assert (left, events) == (1, [])


_DIES_AT_WORK = """
import os, signal, sys, threading
from datetime import timedelta
from bot.adapters.redis.client import Keys, connect_reader
from bot.adapters.redis.queue import RedisWorkQueue
from bot.entry.worker import Worker
from tests.support.redis import SetClock

def handle(request):
    os.kill(os.getpid(), signal.SIGKILL)

queue = RedisWorkQueue(connect_reader(sys.argv[1]), Keys("omen"), "dies", SetClock())
Worker(queue, handle=handle, give_up=handle, slots=1).run(threading.Event(), grace=0)
"""


def test_a_request_whose_worker_was_killed_in_the_middle_is_done_by_another(
    client: redis.Redis, redis_url: str, keys: Keys
) -> None:
    RedisQueue(client, keys).enqueue(ask("Ev1"), dedupe=())
    killed = subprocess.run([sys.executable, "-c", _DIES_AT_WORK, redis_url], check=False, capture_output=True)
    assert killed.returncode == -9

    stop = threading.Event()
    handled: list[str] = []

    def handle(request: Request) -> None:
        handled.append(request.id)
        stop.set()

    queue = RedisWorkQueue(
        connect_reader(redis_url), keys, "lives", SetClock(), min_idle=timedelta(0), block=timedelta(milliseconds=5)
    )
    Worker(queue, handle=handle, give_up=handle, slots=1).run(stop, grace=LIMIT)

    assert handled == ["Ev1"]
    assert client.xlen(keys("work")) == 0
