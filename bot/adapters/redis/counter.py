"""A daily cap that all replicas share."""

from __future__ import annotations

from typing import cast

import redis

from bot.adapters.redis.client import Keys
from bot.app.ports import Clock

_TWO_DAYS = 172_800


class RedisDailyCap:
    """`app.ports.writer.DailyCap`. A day begins at midnight UTC.

    Args:
        client: a client for writes (`client.connect`); a retried write may count twice, which is on the safe side.
        keys: the names of the keys.
        clock: wall time.
        name: what is counted.
        cap: uses a day; 0 allows none.
    """

    def __init__(self, client: redis.Redis, keys: Keys, clock: Clock, name: str, cap: int) -> None:
        self._redis = client
        self._keys = keys
        self._clock = clock
        self._name = name
        self._cap = cap

    def take(self) -> bool:
        """Use one; False if today's are used up."""
        key = self._keys("used", self._name, self._clock.now().date().isoformat())
        with self._redis.pipeline(transaction=True) as both:
            both.incr(key)
            both.expire(key, _TWO_DAYS)
            used = cast("int", both.execute()[0])
        return used <= self._cap
