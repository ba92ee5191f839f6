"""Whether Redis answers."""

from __future__ import annotations

import redis


def reachable(client: redis.Redis) -> bool:
    """Whether the server answers a ping; one that refuses the password or is still loading its data does not."""
    try:
        return bool(client.ping())
    except redis.RedisError:
        # The answer is the reason why the pod gets no requests; the next request that fails logs the details.
        return False
