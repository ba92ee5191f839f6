"""A real Redis server for tests: the embedded one, and Debian's where the machine has it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import redis

from bot.adapters.redis.client import Keys, connect
from bot.adapters.redis.embedded import EmbeddedServer, NoEmbeddedServer, valkey_binary

__all__ = ["ONE_REDIS", "SetClock", "binary", "client", "keys", "redis_server", "redis_url"]

DEBIAN = Path("/usr/bin/redis-server")


class SetClock:
    """A clock that a test sets."""

    def __init__(self, at: datetime = datetime(2026, 7, 10, 15, 0, tzinfo=UTC)) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def pass_by(self, time: timedelta) -> None:
        self.at += time


def binary(server: str) -> Path:
    """The server's program; without it the test is skipped."""
    if server == "embedded":
        try:
            return valkey_binary()
        except NoEmbeddedServer as why:
            pytest.skip(str(why))
    if not DEBIAN.exists():
        pytest.skip(f"{DEBIAN} is not on this machine (apt install redis-server)")
    return DEBIAN


@pytest.fixture(scope="session", params=["embedded", "debian"])
def redis_server(request: pytest.FixtureRequest) -> Iterator[str]:
    with EmbeddedServer(binary(request.param)) as server:
        yield server.url


#: For tests whose axis is another one and that take long: what either server does is asked by the journal's own tests.
ONE_REDIS = pytest.mark.parametrize("redis_server", ["embedded"], indirect=True)


@pytest.fixture
def redis_url(redis_server: str) -> str:
    """The address of a server that holds nothing."""
    with connect(redis_server) as client:
        client.flushall()
    return redis_server


@pytest.fixture
def client(redis_url: str) -> Iterator[redis.Redis]:
    with connect(redis_url) as client:
        yield client


@pytest.fixture
def keys() -> Keys:
    return Keys("omen")
