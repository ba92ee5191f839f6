"""The durable queue on a Redis stream: accepted requests outlive any replica.

An entry leaves the stream only when a worker acknowledges it, so the stream is as long as what is undone and is
never trimmed. What dies with its worker is taken over once it has been silent for `min_idle`.

Where there is an audit key, entries are sealed with it: a press counts as the approval of whom it names, and whoever
may only write to Redis must not be able to put one in. When a press was made is within its seal, so what they kept of
one that was real grows old (`app.repair.desk`).
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar, cast

import msgspec
import redis
import structlog

from bot.adapters.redis.client import Keys
from bot.adapters.redis.commit import Command, Commit
from bot.app.ports import Clock, QueueUnavailable
from bot.app.ports.queue import Delivery
from bot.app.requests import Request
from bot.remedy.audit import AuditKey, sealed_value, unsealed_value

#: Slack repeats an event for about 5 minutes, and a person's proxy or Alertmanager for longer.
_SEEN_SECONDS = 86_400
_GROUP = "workers"
#: The queue of everything that people and machines ask.
WORK = "work"
#: The queue of choices, which only the executor's process can dry-run.
CHOICES = "choices"
_FIELD = b"request"
_DEAD_KEPT = timedelta(days=1)
_CONSUMER_FORGOTTEN = timedelta(days=1)
T = TypeVar("T")

_log = structlog.get_logger(__name__)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except redis.RedisError as why:
        raise QueueUnavailable(str(why)) from why


class RedisQueue:
    """`app.ports.Queue`: the ear's side.

    Args:
        client: a client for writes (`client.connect`).
        keys: the names of the keys.
        name: of the queue; each remembers for itself what it has seen.
        audit: the audit key and the one before; none where nothing can be approved.
    """

    def __init__(self, client: redis.Redis, keys: Keys, name: str = WORK, *, audit: Sequence[AuditKey] = ()) -> None:
        self._redis = client
        self._commit = Commit(client)
        self._audit = audit
        self._keys = keys
        self._name = name

    def enqueue(self, request: Request, *, dedupe: Sequence[str]) -> bool:
        """Remember the ids and append the request, in one step; False if any id was seen in the last day."""
        # Tells our own write, sent again after its reply got lost, from one that came before.
        mark = uuid.uuid4().hex
        place = ("seen",) if self._name == WORK else ("seen", self._name)
        seen = [self._keys(*place, one) for one in dict.fromkeys((request.id, *dedupe))]
        commands: list[Command] = [("SET", key, mark, "EX", _SEEN_SECONDS) for key in seen]
        stream, payload = self._keys(self._name), msgspec.json.encode(request)
        stored = sealed_value(stream, payload, self._audit[0]) if self._audit else payload
        commands.append(("XADD", stream, "*", _FIELD, stored))
        with _translated():
            return self._commit(dict.fromkeys(seen), commands) or self._redis.get(seen[0]) == mark.encode()


class RedisWorkQueue:
    """`app.ports.queue.WorkQueue`: the worker's side, of one consumer.

    Args:
        reader: a client that never sends anything twice (`client.connect_reader`).
        keys: the names of the keys.
        consumer: a name that no other process has, ever.
        clock: wall time, for how long dead entries are kept.
        min_idle: how long an entry's worker may be silent before another takes the entry over.
        block: how long `take` waits for an entry; far below `client.SOCKET_TIMEOUT`.
        name: of the queue.
        audit: the audit key and the one before, as the ear has them.
    """

    def __init__(
        self,
        reader: redis.Redis,
        keys: Keys,
        consumer: str,
        clock: Clock,
        *,
        min_idle: timedelta = timedelta(seconds=30),
        block: timedelta = timedelta(seconds=1),
        name: str = WORK,
        audit: Sequence[AuditKey] = (),
    ) -> None:
        self._redis = reader
        self._audit = audit
        self._stream = keys(name)
        self._dead = keys("dead") if name == WORK else keys("dead", name)
        self._consumer = consumer
        self._clock = clock
        self._min_idle = round(min_idle.total_seconds() * 1000)
        self._block = round(block.total_seconds() * 1000)
        self._commit = Commit(reader)
        self._cursor = "0-0"

    def take(self, limit: int) -> tuple[Delivery, ...]:
        """Entries of dead workers if there are any, else new ones, waiting a moment for them."""
        with _translated():
            return self._with_group(lambda: self._left_behind(limit) or self._fresh(limit))

    def renew(self, entries: Sequence[str]) -> None:
        """Set the idle time of these entries back, as far as they are still ours."""
        with _translated():
            self._with_group(lambda: self._renew(entries))

    def done(self, delivery: Delivery) -> None:
        """Acknowledge and delete the entry."""
        with _translated():
            self._commit({}, self._removal(delivery))

    def bury(self, delivery: Delivery, why: str) -> None:
        """Move the entry to the dead stream, which people may look at for a day: it may hold a paste."""
        oldest = round((self._clock.now() - _DEAD_KEPT).timestamp() * 1000)
        with _translated():
            rows = cast("list[Any]", self._redis.xrange(self._stream, delivery.entry, delivery.entry))
            payload = rows[0][1].get(_FIELD, b"") if rows else b""
            words = ("entry", delivery.entry, "attempts", delivery.attempt, "why", why, "request", payload)
            self._commit(
                {},
                [
                    ("XADD", self._dead, "MINID", oldest, "*", *words),
                    ("EXPIRE", self._dead, round(_DEAD_KEPT.total_seconds())),
                    *self._removal(delivery),
                ],
            )

    def forget_the_dead(self, silent: timedelta = _CONSUMER_FORGOTTEN) -> int:
        """Drop consumers that have nothing pending and have been silent; returns how many.

        A live worker asks every few seconds, so none of them can get an entry between the look and the drop.
        """
        with _translated():
            return self._with_group(lambda: self._forget_the_dead(silent))

    def _forget_the_dead(self, silent: timedelta) -> int:
        consumers = self._redis.xinfo_consumers(self._stream, _GROUP)
        limit = silent.total_seconds() * 1000
        dead = [one["name"] for one in consumers if not one["pending"] and one["idle"] > limit]
        for name in dead:
            self._redis.xgroup_delconsumer(self._stream, _GROUP, name)
        return len(dead)

    def _removal(self, delivery: Delivery) -> list[Command]:
        return [("XACK", self._stream, _GROUP, delivery.entry), ("XDEL", self._stream, delivery.entry)]

    def _left_behind(self, limit: int) -> tuple[Delivery, ...]:
        reply = self._redis.xautoclaim(
            self._stream, _GROUP, self._consumer, self._min_idle, start_id=self._cursor, count=limit
        )
        following, entries = reply[:2]
        self._cursor = following.decode()
        return tuple(self._delivery(entry, fields, self._attempts(entry)) for entry, fields in entries)

    def _delivery(self, entry: bytes, fields: dict[bytes, bytes], attempt: int) -> Delivery:
        """The entry with its request, or without one where it cannot be read: the worker buries it."""
        payload: bytes | None = fields.get(_FIELD, b"")
        if self._audit:
            payload = unsealed_value(self._stream, payload or b"", self._audit)
        if payload is None:
            _log.error("queue_entry_not_ours", entry=entry.decode(), stream=self._stream)
            return Delivery(entry=entry.decode(), request=None, attempt=attempt)
        try:
            request = msgspec.json.decode(payload, type=Request)
        except msgspec.DecodeError:
            request = None
        return Delivery(entry=entry.decode(), request=request, attempt=attempt)

    def _attempts(self, entry: bytes) -> int:
        rows = self._redis.xpending_range(self._stream, _GROUP, entry, entry, 1)
        return int(rows[0]["times_delivered"]) if rows else 1

    def _fresh(self, limit: int) -> tuple[Delivery, ...]:
        reply = self._redis.xreadgroup(_GROUP, self._consumer, {self._stream: ">"}, count=limit, block=self._block)
        return tuple(self._delivery(entry, fields, 1) for entry, fields in _entries(reply))

    def _renew(self, entries: Sequence[str]) -> None:
        ours = [one for one in entries if self._is_ours(one)]
        if ours:
            # JUSTID leaves the number of deliveries as it is.
            self._redis.xclaim(self._stream, _GROUP, self._consumer, 0, list(ours), justid=True)

    def _is_ours(self, entry: str) -> bool:
        return bool(self._redis.xpending_range(self._stream, _GROUP, entry, entry, 1, consumername=self._consumer))

    def _with_group(self, action: Callable[[], T]) -> T:
        """Do it; make the group if it is not there, at the first run or after Redis lost its data."""
        try:
            return action()
        except redis.ResponseError as why:
            # XINFO says "no such key" where the stream is not there, which all others call NOGROUP.
            if not str(why).startswith(("NOGROUP", "no such key")):
                raise
        try:
            # From the stream's beginning: requests may have come before any worker.
            self._redis.xgroup_create(self._stream, _GROUP, id="0", mkstream=True)
        except redis.ResponseError as why:
            if not str(why).startswith("BUSYGROUP"):
                raise
        return action()


def _entries(reply: Any) -> list[tuple[bytes, dict[bytes, bytes]]]:
    """The entries of the one stream that was read; RESP2 gives pairs, RESP3 a map."""
    if not reply:
        return []
    streams = list(reply.values()) if isinstance(reply, dict) else [rows for _, rows in reply]
    rows = streams[0]
    # RESP3 wraps the rows once more.
    return rows[0] if rows and isinstance(rows[0], list) else rows
