"""Makes Redis clients, and names the keys.

Two kinds of clients, because hidden retries help one and harm the other: a write that carries its own
identity may be sent again, a blocking read may not (with redis-py's defaults of 10 retries and a 5 s time-out
a block of 7 s ends as a time-out of a minute).
"""

from __future__ import annotations

import re

import redis
from redis.backoff import ExponentialWithJitterBackoff, NoBackoff
from redis.retry import Retry

#: Seconds for a reply; a queue reader blocks far shorter than that.
SOCKET_TIMEOUT = 10.0
CONNECT_TIMEOUT = 3.0
_RETRIES = 3
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")


def connect(url: str, password: str | None = None) -> redis.Redis:
    """A client for writes that may be sent twice and for short reads.

    Args:
        url: `redis://`, `rediss://` (TLS) or `unix://`; user, password and database may stand in it.
        password: used where the address has none.
    """
    return _client(url, password, Retry(ExponentialWithJitterBackoff(base=0.05, cap=1), _RETRIES))


def connect_reader(url: str, password: str | None = None) -> redis.Redis:
    """A client for the worker's side of the queue: it never sends anything a second time."""
    return _client(url, password, Retry(NoBackoff(), 0))


def _client(url: str, password: str | None, retry: Retry) -> redis.Redis:
    return redis.Redis.from_url(
        url,
        retry=retry,
        socket_timeout=SOCKET_TIMEOUT,
        socket_connect_timeout=CONNECT_TIMEOUT,
        health_check_interval=30,
        # What stands in the address wins over arguments.
        **({"password": password} if password else {}),
    )


class Keys:
    """The names of all keys of one cluster.

    They share a hash tag, so that one script may touch several of them on Redis Cluster as well.
    """

    def __init__(self, cluster: str) -> None:
        self._prefix = f"{{autopsy}}:{_UNSAFE.sub('_', cluster)}"

    def __call__(self, *parts: str) -> str:
        """The key of these parts."""
        return ":".join((self._prefix, *parts))
