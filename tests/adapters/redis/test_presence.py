"""Axes: somebody said that they are there, nobody did, long ago, it cannot be read."""

from datetime import timedelta

import redis
from structlog.testing import capture_logs

from bot.adapters.redis.client import Keys, connect_reader
from bot.adapters.redis.presence import RedisPresence


def test_a_word_counts_for_its_kind_and_for_a_while(client: redis.Redis, keys: Keys) -> None:
    executor = RedisPresence(client, keys, "executor", timedelta(minutes=1))
    assert not executor.is_there()
    executor.say()
    assert executor.is_there()
    assert not RedisPresence(client, keys, "other").is_there()
    (word,) = client.keys("*")
    assert 0 < client.pttl(word) <= 60_000, "it does not last"
    client.delete(word)
    assert not executor.is_there()


def test_what_cannot_be_read_is_nobody_and_is_logged(keys: Keys) -> None:
    with connect_reader("redis://127.0.0.1:1/0") as nobody, capture_logs() as logged:
        assert not RedisPresence(nobody, keys, "executor").is_there()
    assert [(one["event"], one["kind"]) for one in logged] == [("presence_unknown", "executor")]
