"""Pasted host texts in Redis: only what was understood as one, and only for some hours."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, cast

import msgspec
import redis

from bot.adapters.redis.client import Keys
from bot.app.ports import Clock
from bot.model.hosttext import HostSource, HostText

#: A newer text of these replaces the older one: it is the state of the host. Pieces of a log add up.
_STATES = frozenset({HostSource.SWAPS, HostSource.FSTAB, HostSource.UNIT_FILES})


class RedisPastes:
    """`app.ports.PasteStore`. Every text is a key with an expiry of its own; one index names them.

    Args:
        client: a client for writes (`client.connect`).
        keys: the names of the keys.
        clock: wall time.
        expiry: how long a text is kept.
        name: which store this is; two of different names know nothing of each other.
    """

    def __init__(self, client: redis.Redis, keys: Keys, clock: Clock, expiry: timedelta, name: str = "pastes") -> None:
        self._redis = client
        self._keys = keys
        self._clock = clock
        self._seconds = round(expiry.total_seconds())
        self._name = name
        self._index = keys(name)

    def add(self, text: HostText) -> None:
        """Keep a text until it expires."""
        now = self._clock.now().timestamp()
        name = f"{text.node}/{_slot(text)}"
        with self._redis.pipeline(transaction=True) as all_at_once:
            all_at_once.set(self._text(name), msgspec.json.encode(text), ex=self._seconds)
            all_at_once.zremrangebyscore(self._index, "-inf", now)
            all_at_once.zadd(self._index, {name: now + self._seconds})
            all_at_once.expire(self._index, self._seconds)
            all_at_once.execute()

    def texts(self, nodes: Sequence[str] | None = None) -> tuple[HostText, ...]:
        """The texts of these nodes that have not expired, oldest first; all of them for None."""
        names = [name for name in self._names() if nodes is None or name.partition("/")[0] in nodes]
        if not names:
            return ()
        values = cast("list[Any]", self._redis.mget([self._text(name) for name in names]))
        return tuple(msgspec.json.decode(one, type=HostText) for one in values if one is not None)

    def forget(self, node: str) -> None:
        """Drop every text of this node."""
        names = [name for name in self._names() if name.partition("/")[0] == node]
        if names:
            with self._redis.pipeline(transaction=True) as all_at_once:
                all_at_once.delete(*(self._text(name) for name in names))
                all_at_once.zrem(self._index, *names)
                all_at_once.execute()

    def _text(self, name: str) -> str:
        return self._keys(self._name, "text", name)

    def _names(self) -> list[str]:
        now = self._clock.now().timestamp()
        return [one.decode() for one in cast("list[bytes]", self._redis.zrangebyscore(self._index, f"({now}", "+inf"))]


def _slot(text: HostText) -> str:
    """What a text replaces when it comes again."""
    if text.source in _STATES:
        return text.source.value
    return hashlib.sha256("\n".join((text.label, text.boot, text.text)).encode()).hexdigest()[:16]
