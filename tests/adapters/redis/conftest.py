from tests.support.redis import client, keys, redis_server, redis_url

__all__ = ["client", "keys", "redis_server", "redis_url"]
