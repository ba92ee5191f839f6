from __future__ import annotations

from tests.support.redis import client, keys, redis_server, redis_url
from tests.support.servers import shared_simulated_server, simulated

__all__ = ["client", "keys", "redis_server", "redis_url", "shared_simulated_server", "simulated"]
