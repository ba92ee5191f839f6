from __future__ import annotations

import pytest

from tests.app.desk import World
from tests.support.redis import client, keys, redis_server, redis_url

__all__ = ["client", "keys", "redis_server", "redis_url", "world"]


@pytest.fixture
def world(redis_url: str) -> World:
    return World(redis_url)
