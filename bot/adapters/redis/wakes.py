"""Wakes an executor as soon as a step is approved. The truth is in the plans: a signal that is lost costs a moment."""

from __future__ import annotations

from datetime import timedelta

import redis

from bot.adapters.redis.client import Keys


def key(keys: Keys) -> str:
    """The list of signals."""
    return keys("wakes")


class RedisWakes:
    """The executor's side.

    Args:
        reader: a client that never sends anything twice (`client.connect_reader`).
        keys: the names of the keys.
    """

    def __init__(self, reader: redis.Redis, keys: Keys) -> None:
        self._redis = reader
        self._key = key(keys)

    def wait(self, longest: timedelta) -> bool:
        """Wait for a signal, which one executor gets, far below `client.SOCKET_TIMEOUT`; False if none came.

        Raises:
            redis.RedisError: the server is out of reach.
        """
        return self._redis.blpop([self._key], timeout=longest.total_seconds()) is not None
