"""Axes: what is sent again; who dies when; what cannot be read; what Redis itself does."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
import redis

from bot.adapters.redis.client import Keys, connect, connect_reader
from bot.adapters.redis.queue import CHOICES, WORK, RedisQueue, RedisWorkQueue
from bot.app.ports import QueueUnavailable
from bot.app.requests import Alert, AlertGroup, AlertMessage, Ask, Paste, Request
from bot.model.incident import Place
from bot.remedy.audit import AuditKey
from tests.support.redis import SetClock

AT = datetime(2026, 7, 10, 15, 0, tzinfo=UTC)
HOUR_MS = 3_600_000


def ask(request_id: str = "Ev1") -> Ask:
    return Ask(id=request_id, words="omen2", place=Place("C0GPU"), user="U0ONCALL")


def worker(
    url: str,
    keys: Keys,
    name: str = "one",
    min_idle: timedelta = timedelta(minutes=30),
    audit: Sequence[AuditKey] = (),
) -> RedisWorkQueue:
    reader, block = connect_reader(url), timedelta(milliseconds=5)
    return RedisWorkQueue(reader, keys, name, SetClock(), min_idle=min_idle, block=block, audit=audit)


def taken_over(url: str, keys: Keys) -> RedisWorkQueue:
    """A second worker that takes everything for dead."""
    return worker(url, keys, "two", timedelta(0))


@pytest.mark.parametrize(
    "request_",
    [
        ask(),
        AlertMessage(id="Ev2", text="node omen2 is down", place=Place("C0GPU", "1.2")),
        AlertGroup(
            id="am:1",
            group_key='{}:{alertname="KubeNodeNotReady"}',
            alerts=(Alert(firing=True, labels={"node": "omen2"}, starts_at=AT, fingerprint="f1"),),
            place=Place("C0GPU"),
        ),
        Paste(id="Ev3", text="E0710 run.go:72] ☃", place=Place("C0GPU", "1.2"), user="U0ONCALL", at=AT),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_request_arrives_as_it_was_sent(client: redis.Redis, redis_url: str, keys: Keys, request_: Request) -> None:
    RedisQueue(client, keys).enqueue(request_, dedupe=())

    assert [one.request for one in worker(redis_url, keys).take(5)] == [request_]


KEY, OLDER, FOREIGN = (AuditKey(bytes([one]) * 32) for one in range(3))


@pytest.mark.parametrize(
    ("sealed_with", "arrives"),
    [((KEY,), True), ((KEY, OLDER), True), ((OLDER,), True), ((FOREIGN,), False), ((), False)],
    ids=["the key", "with one before", "the one before", "another key", "no key"],
)
def test_nobody_puts_a_request_in_without_the_audit_key(
    client: redis.Redis, redis_url: str, keys: Keys, sealed_with: tuple[AuditKey, ...], arrives: bool
) -> None:
    RedisQueue(client, keys, audit=sealed_with).enqueue(ask(), dedupe=())
    (found,) = worker(redis_url, keys, audit=(KEY, OLDER)).take(5)
    assert found.request == (ask() if arrives else None)


def test_an_entry_of_another_queue_is_none_of_this_one(client: redis.Redis, redis_url: str, keys: Keys) -> None:
    RedisQueue(client, keys, CHOICES, audit=(KEY,)).enqueue(ask(), dedupe=())
    ((_, fields),) = cast("list[tuple[bytes, dict[bytes, bytes]]]", client.xrange(keys(CHOICES)))
    client.xadd(keys(WORK), dict(fields))
    (found,) = worker(redis_url, keys, audit=(KEY,)).take(5)
    assert found.request is None


@pytest.mark.parametrize(
    ("second", "dedupe", "is_new"),
    [
        (ask("Ev1"), ("C0GPU:9.9",), False),
        (ask("Ev2"), ("C0GPU:1.2",), False),
        (ask("Ev2"), ("C0GPU:9.9", "C0GPU:1.2"), False),
        (ask("Ev2"), ("C0GPU:9.9",), True),
        (ask("Ev2"), (), True),
    ],
    ids=["same id", "same message", "one of two", "another", "another without more ids"],
)
def test_what_was_seen_is_not_queued_again(
    client: redis.Redis, keys: Keys, second: Ask, dedupe: tuple[str, ...], is_new: bool
) -> None:
    queue = RedisQueue(client, keys)
    assert queue.enqueue(ask("Ev1"), dedupe=("C0GPU:1.2",))

    assert queue.enqueue(second, dedupe=dedupe) is is_new
    assert client.xlen(keys("work")) == 1 + is_new


class RepliesGetLost(redis.Redis):
    """A client whose every script runs twice, as one does that is sent again after its reply got lost."""

    def evalsha(self, sha: str, numkeys: int, *keys_and_args: Any) -> Any:
        super().evalsha(sha, numkeys, *keys_and_args)
        return super().evalsha(sha, numkeys, *keys_and_args)


def test_a_request_that_is_sent_again_after_its_reply_got_lost_is_new(redis_url: str, keys: Keys) -> None:
    with RepliesGetLost.from_url(redis_url) as unlucky:
        queue = RedisQueue(unlucky, keys)
        assert queue.enqueue(ask("Ev1"), dedupe=("C0GPU:1.2",))
        assert not queue.enqueue(ask("Ev1"), dedupe=("C0GPU:1.2",)), "the control"
        assert unlucky.xlen(keys("work")) == 1


def test_a_refused_request_leaves_none_of_its_ids_behind(client: redis.Redis, keys: Keys) -> None:
    queue = RedisQueue(client, keys)
    queue.enqueue(ask("Ev1"), dedupe=())
    queue.enqueue(ask("Ev1"), dedupe=("C0GPU:7.7",))

    assert queue.enqueue(ask("Ev2"), dedupe=("C0GPU:7.7",))


def test_ids_are_forgotten_after_a_day(client: redis.Redis, keys: Keys) -> None:
    RedisQueue(client, keys).enqueue(ask("Ev1"), dedupe=("other",))

    assert [86_390 < cast("int", client.ttl(keys("seen", one))) <= 86_400 for one in ("Ev1", "other")] == [True, True]


def test_the_queue_holds_nothing_but_what_was_enqueued(client: redis.Redis, redis_url: str, keys: Keys) -> None:
    RedisQueue(client, keys).enqueue(ask("Ev1"), dedupe=())
    one = worker(redis_url, keys)
    one.done(one.take(1)[0])

    assert sorted(cast("list[bytes]", client.keys("*"))) == [keys("seen", "Ev1").encode(), keys("work").encode()]
    assert client.xlen(keys("work")) == 0


def test_two_workers_share_the_work(client: redis.Redis, redis_url: str, keys: Keys) -> None:
    queue = RedisQueue(client, keys)
    for number in range(4):
        queue.enqueue(ask(f"Ev{number}"), dedupe=())

    first, second = worker(redis_url, keys, "one").take(2), worker(redis_url, keys, "two").take(5)

    assert [one.request.id for one in (*first, *second) if one.request] == ["Ev0", "Ev1", "Ev2", "Ev3"]


_TAKER = """
import sys
from tests.adapters.redis.test_queue import worker
from bot.adapters.redis.client import Keys
print(worker(sys.argv[1], Keys(sys.argv[2]), "killed").take(1)[0].entry, flush=True)
sys.stdin.read()
"""


def test_a_worker_killed_between_read_and_acknowledgement_loses_nothing(
    client: redis.Redis, redis_url: str, keys: Keys
) -> None:
    RedisQueue(client, keys).enqueue(ask("Ev1"), dedupe=())
    with subprocess.Popen(
        [sys.executable, "-c", _TAKER, redis_url, "omen"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        entry = other.stdout.readline().strip()
        other.send_signal(signal.SIGKILL)
        assert other.wait() == -signal.SIGKILL

    assert worker(redis_url, keys).take(5) == (), "not before its worker was silent for the idle time"
    again = taken_over(redis_url, keys).take(5)
    assert [(one.entry, one.request, one.attempt) for one in again] == [(entry, ask("Ev1"), 2)]


def test_what_is_renewed_is_not_taken_over(client: redis.Redis, redis_url: str, keys: Keys) -> None:
    queue = RedisQueue(client, keys)
    for one in ("Ev1", "Ev2"):
        queue.enqueue(ask(one), dedupe=())
    busy = worker(redis_url, keys, "busy")
    renewed, silent = busy.take(2)
    for one in (renewed, silent):
        client.xclaim(keys("work"), "workers", "busy", 0, [one.entry], idle=HOUR_MS, justid=True)

    busy.renew([renewed.entry])

    other = worker(redis_url, keys, "other")
    assert [one.entry for one in other.take(5)] == [silent.entry]
    busy.renew([renewed.entry, silent.entry])
    owners = {
        one["message_id"].decode(): one["consumer"]
        for one in client.xpending_range(keys("work"), "workers", "-", "+", 9)
    }
    assert owners == {renewed.entry: b"busy", silent.entry: b"other"}, "what another took over is not taken back"


def test_attempts_are_counted_and_renewing_is_none(client: redis.Redis, redis_url: str, keys: Keys) -> None:
    RedisQueue(client, keys).enqueue(ask("Ev1"), dedupe=())
    impatient = taken_over(redis_url, keys)
    attempts = []
    for _ in range(3):
        (delivery,) = impatient.take(1)
        impatient.renew([delivery.entry])
        attempts.append(delivery.attempt)

    assert attempts == [1, 2, 3]


def test_what_is_buried_is_kept_apart_for_a_day(client: redis.Redis, redis_url: str, keys: Keys) -> None:
    clock = SetClock(datetime.now(UTC))
    queue = RedisQueue(client, keys)
    one = RedisWorkQueue(connect_reader(redis_url), keys, "one", clock)
    for request in ("Ev1", "Ev2"):
        queue.enqueue(ask(request), dedupe=())
    first, second = one.take(2)

    one.bury(first, "failed again and again")
    (dead,) = cast("list[tuple[bytes, dict[bytes, bytes]]]", client.xrange(keys("dead")))
    assert dead[1][b"why"] == b"failed again and again"
    assert b'"Ev1"' in dead[1][b"request"]
    assert 0 < cast("int", client.ttl(keys("dead"))) <= 86_400

    clock.pass_by(timedelta(days=1, minutes=1))
    one.bury(second, "failed again and again")
    rows = cast("list[tuple[bytes, dict[bytes, bytes]]]", client.xrange(keys("dead")))
    assert [b'"Ev1"' in fields[b"request"] for _, fields in rows] in ([], [False])
    assert client.xlen(keys("work")) == 0
    assert taken_over(redis_url, keys).take(5) == ()


@pytest.mark.parametrize("fields", [{"request": "not json"}, {"request": '{"type":"dance"}'}, {"other": "x"}])
def test_an_entry_that_cannot_be_read_is_delivered_as_such(
    client: redis.Redis, redis_url: str, keys: Keys, fields: dict[str | bytes, str]
) -> None:
    client.xadd(keys("work"), {str(key): value for key, value in fields.items()})

    (delivery,) = worker(redis_url, keys).take(5)

    assert delivery.request is None


def test_a_server_that_lost_everything_is_used_anew(client: redis.Redis, redis_url: str, keys: Keys) -> None:
    one = worker(redis_url, keys)
    assert one.take(1) == ()
    client.flushall()
    RedisQueue(client, keys).enqueue(ask("Ev1"), dedupe=())

    assert [delivery.request for delivery in one.take(1)] == [ask("Ev1")]


def test_only_silent_consumers_without_work_are_forgotten(client: redis.Redis, redis_url: str, keys: Keys) -> None:
    queue = RedisQueue(client, keys)
    for one in ("Ev1", "Ev2"):
        queue.enqueue(ask(one), dedupe=())
    worker(redis_url, keys, "holds").take(1)
    idle = worker(redis_url, keys, "idle")
    idle.done(idle.take(1)[0])

    assert worker(redis_url, keys, "me").forget_the_dead() == 0
    assert worker(redis_url, keys, "me").forget_the_dead(timedelta(milliseconds=-1)) == 1
    names = [one["name"] for one in client.xinfo_consumers(keys("work"), "workers")]
    assert names == [b"holds"]


def test_a_server_that_holds_nothing_yet_has_no_dead(redis_url: str, keys: Keys) -> None:
    assert worker(redis_url, keys).forget_the_dead() == 0


def test_a_server_out_of_reach_is_said(keys: Keys) -> None:
    nowhere = "unix:///nonexistent/redis"
    with pytest.raises(QueueUnavailable):
        RedisQueue(connect(nowhere), keys).enqueue(ask(), dedupe=())
    with pytest.raises(QueueUnavailable):
        worker(nowhere, keys).take(1)
