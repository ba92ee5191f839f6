"""What all tests of what Redis keeps share: a server that holds nothing, and a journal that has begun in it."""

import pytest
import redis

from bot.adapters.redis.client import Keys
from bot.adapters.redis.journal import RedisJournal
from tests.support.journals import journal
from tests.support.plans import entry
from tests.support.redis import client, keys, redis_server, redis_url

__all__ = ["client", "keys", "redis_server", "redis_url"]


@pytest.fixture
def store(client: redis.Redis, keys: Keys) -> RedisJournal:
    made = journal(client, keys)
    assert made.begin("begin", entry("journal-begun", ""))
    return made
