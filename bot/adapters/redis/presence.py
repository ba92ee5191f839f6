"""Tells whether some process of a kind is there: it says so again and again, and its word does not last."""

from __future__ import annotations

from datetime import timedelta

import redis
import structlog

from bot.adapters.redis.client import Keys

#: Longer than a busy process may be silent.
LASTS = timedelta(minutes=2)

_log = structlog.get_logger(__name__)


class RedisPresence:
    """One kind of process (`executor`), however many there are.

    Args:
        client: a client for writes (`client.connect`).
        keys: the names of the keys.
        kind: of the process.
        lasts: how long one word of it counts.
    """

    def __init__(self, client: redis.Redis, keys: Keys, kind: str, lasts: timedelta = LASTS) -> None:
        self._redis = client
        self._kind = kind
        self._key = keys("present", kind)
        self._lasts = lasts

    def say(self) -> None:
        """Say that one is here.

        Raises:
            redis.RedisError: the server is out of reach.
        """
        self._redis.set(self._key, "1", px=self._lasts)

    def is_there(self) -> bool:
        """Whether one said so lately; where that cannot be read, nobody counts as there."""
        try:
            return bool(self._redis.exists(self._key))
        except redis.RedisError as why:
            # Without an executor plans are commands to copy: whoever wonders why finds it here.
            _log.warning("presence_unknown", kind=self._kind, why=str(why))
            return False
