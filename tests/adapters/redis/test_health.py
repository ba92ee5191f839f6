"""Whether Redis answers, and how full it is. The axes: a server, none, one that wants a password; a limit or none."""

import redis

from bot.adapters.redis.client import connect_reader
from bot.adapters.redis.health import Memory, memory, reachable
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


def test_how_full_it_is(client: redis.Redis) -> None:
    for limit in (0, 268_435_456):
        client.config_set("maxmemory", limit)
        try:
            found = memory(client)
        finally:
            client.config_set("maxmemory", 0)
        assert isinstance(found, Memory)
        assert (found.used > 100_000, found.limit) == (True, limit)


def test_how_full_nobody_is_cannot_be_told() -> None:
    with connect_reader("redis://127.0.0.1:1/0") as nobody:
        assert memory(nobody) is None
