"""Whether Redis answers, and how full it is."""

from __future__ import annotations

from typing import NamedTuple

import redis
import structlog

_log = structlog.get_logger(__name__)


class Memory(NamedTuple):
    """Bytes that the server holds, and bytes that it may hold (`maxmemory`; 0: no limit)."""

    used: int
    limit: int


def reachable(client: redis.Redis) -> bool:
    """Whether the server answers a ping; one that refuses the password or is still loading its data does not."""
    try:
        return bool(client.ping())
    except redis.RedisError:
        # The answer is the reason why the pod gets no requests; the next request that fails logs the details.
        return False


def memory(client: redis.Redis) -> Memory | None:
    """How full the server is, as `INFO memory` says; None where it does not say."""
    try:
        told = client.info("memory")
        return Memory(int(told["used_memory"]), int(told["maxmemory"]))
    except (redis.RedisError, KeyError) as why:
        _log.warning("redis_memory_unknown", why=str(why))
        return None
