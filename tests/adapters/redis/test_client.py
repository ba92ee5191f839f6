"""Axes: how the server is addressed; where its password stands; which client retries."""

from __future__ import annotations

from datetime import timedelta

import pytest
import redis
from redis.connection import SSLConnection, UnixDomainSocketConnection

from bot.adapters.redis.client import Keys, connect, connect_reader
from bot.adapters.redis.commit import Commit
from bot.adapters.redis.counter import RedisDailyCap
from tests.support.redis import SetClock


@pytest.mark.parametrize(
    ("url", "password", "expected"),
    [
        ("redis://redis:6379/0", None, None),
        ("redis://redis:6379/0", "given", "given"),
        ("redis://:own@redis:6379/0", "given", "own"),
        ("rediss://redis:6379/0", "given", "given"),
        ("unix:///run/redis.sock", "given", "given"),
    ],
)
def test_the_password_is_that_of_the_address_or_the_one_given(
    url: str, password: str | None, expected: str | None
) -> None:
    for make in (connect, connect_reader):
        assert make(url, password).connection_pool.connection_kwargs.get("password") == expected


def test_the_address_says_which_way(keys: Keys) -> None:
    assert connect("rediss://redis").connection_pool.connection_class is SSLConnection
    assert connect("unix:///run/s").connection_pool.connection_class is UnixDomainSocketConnection


def test_a_reader_sends_nothing_twice() -> None:
    assert [make("redis://redis").get_retry().get_retries() for make in (connect, connect_reader)] == [3, 0]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("cluster", "key"), [("omen", "{autopsy}:omen:a:b"), ("eks us/west}{x", "{autopsy}:eks_us_west__x:a:b")]
)
def test_keys_share_one_hash_tag(cluster: str, key: str) -> None:
    assert Keys(cluster)("a", "b") == key


@pytest.mark.parametrize(
    ("expected", "is_written"),
    [
        ({}, True),
        ({"a": b"1"}, True),
        ({"a": b"1", "b": None}, True),
        ({"a": b"2"}, False),
        ({"a": None}, False),
        ({"a": b"1", "b": b""}, False),
    ],
)
def test_a_commit_writes_all_or_nothing(
    client: redis.Redis, expected: dict[str, bytes | None], is_written: bool
) -> None:
    client.set("a", "1")

    assert Commit(client)(expected, [("SET", "c", b"\x00\xff"), ("SADD", "d", 1, 2)]) is is_written
    assert client.get("c") == (b"\x00\xff" if is_written else None)
    assert client.scard("d") == (2 if is_written else 0)


def test_a_daily_cap_begins_anew_at_midnight(client: redis.Redis, keys: Keys) -> None:
    clock = SetClock()
    cap = RedisDailyCap(client, keys, clock, "summaries", 2)

    assert [cap.take() for _ in range(3)] == [True, True, False]
    assert not RedisDailyCap(client, keys, clock, "summaries", 2).take(), "shared with other replicas"
    assert RedisDailyCap(client, keys, clock, "others", 2).take()
    clock.pass_by(timedelta(hours=9))
    assert cap.take()


def test_a_cap_of_nothing_allows_nothing(client: redis.Redis, keys: Keys) -> None:
    assert not RedisDailyCap(client, keys, SetClock(), "summaries", 0).take()
