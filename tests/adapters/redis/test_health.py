"""Whether Redis answers. The axes: a server, none, one that wants a password."""

import redis

from bot.adapters.redis.client import connect_reader
from bot.adapters.redis.health import reachable
from tests.support.redis import *  # noqa: F403  fixtures


def test_a_server(client: redis.Redis) -> None:
    assert reachable(client)


def test_no_server() -> None:
    with connect_reader("redis://127.0.0.1:1/0") as nobody:
        assert not reachable(nobody)


def test_a_server_that_wants_a_password(client: redis.Redis, redis_url: str) -> None:
    client.config_set("requirepass", "right")
    try:
        for password, answers in (("right", True), ("wrong", False), (None, False)):
            with connect_reader(redis_url, password) as one:
                assert reachable(one) is answers
    finally:
        # This connection was let in before.
        client.config_set("requirepass", "")
