"""Whether what was written survives a crash of the server: asked after each write, and looked at before any.

`WAITAOF` (Redis 7.2, Valkey) tells of one write that it is on disk. Without it, `appendfsync always` says the same of
every reply (https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/), so the setting is read
together with each write.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any

import redis

from bot.adapters.redis.commit import Command

#: How long a server may take to bring a write to disk and to its replicas, in milliseconds.
_WAIT = 1000


class Durability(StrEnum):
    """What a write must have before something is done on the strength of it."""

    STRICT = "strict"
    """The server says that it is on disk."""
    BEST_EFFORT = "best-effort"
    """The server has it in memory. Shown on every card."""


class Unconfirmed(Exception):
    """It is not known to be durable; the text says why, as a reason of the catalogue or in the server's words."""


class Confirming:
    """Asks a server about its writes.

    Args:
        client: a client for writes.
        durability: what is demanded.
        replicas: how many replicas must have a write too.
    """

    def __init__(self, client: redis.Redis, durability: Durability, replicas: int = 0) -> None:
        self._redis = client
        self._durability = durability
        self._replicas = replicas
        self._waits_for_disk: bool | None = None

    def commands(self) -> tuple[Command, ...]:
        """What to send behind a write, on its connection."""
        if self._durability is Durability.BEST_EFFORT:
            return self._wait()
        if self._has_waitaof():
            return (("WAITAOF", 1, self._replicas, _WAIT),)
        return (("INFO", "persistence"), ("CONFIG GET", "appendfsync"), *self._wait())

    def check(self, replies: Sequence[Any]) -> None:
        """Look at the replies to `commands`.

        Raises:
            Unconfirmed: they do not say that the write is durable.
        """
        error = next((one for one in replies if isinstance(one, redis.RedisError)), None)
        if error is not None:
            # A server that was replaced may know other commands.
            self._waits_for_disk = None
            raise Unconfirmed(str(error))
        if self._durability is Durability.STRICT and self._has_waitaof():
            local, copies = replies[0]
            if local < 1:
                raise Unconfirmed("store-not-on-disk")
            self._enough(copies)
            return
        if self._durability is Durability.STRICT:
            persistence, setting, *replies = replies
            if not _fsyncs_always(persistence, setting):
                raise Unconfirmed("store-never-on-disk")
        if self._replicas:
            self._enough(replies[0])

    def preflight(self) -> tuple[str, ...]:
        """Why the bot may only read, as keys of the catalogue (reasons `read-only-…`); empty if it may change things.

        `best-effort` waives what concerns disks; a server that throws data away is refused all the same.
        """
        try:
            found = self._redis.info()
        except redis.RedisError:
            # The reason is the answer.
            return ("read-only-redis-unreachable",)
        reasons = [] if found.get("maxmemory_policy") == "noeviction" else ["read-only-redis-evicts"]
        if found.get("role") != "master":
            reasons.append("read-only-redis-replica")
        if int(found.get("connected_slaves", 0)) < self._replicas:
            reasons.append("read-only-redis-replicas-missing")
        return (*reasons, *(self._disk(found) if self._durability is Durability.STRICT else ()))

    def _disk(self, info: dict[str, Any]) -> tuple[str, ...]:
        if not info.get("aof_enabled"):
            return ("read-only-redis-appendonly-off",)
        if self._has_waitaof():
            return ()
        setting = _known(lambda: self._redis.config_get("appendfsync"))
        if setting is None:
            return ("read-only-redis-config-forbidden",)
        return () if _fsyncs_always(info, setting) else ("read-only-redis-fsync",)

    def _wait(self) -> tuple[Command, ...]:
        return (("WAIT", self._replicas, _WAIT),) if self._replicas else ()

    def _enough(self, copies: int) -> None:
        if copies < self._replicas:
            raise Unconfirmed(f"store-replicas {copies}/{self._replicas}")

    def _has_waitaof(self) -> bool:
        if self._waits_for_disk is None:
            # Waiting for nothing is allowed whatever the server persists.
            self._waits_for_disk = _known(lambda: self._redis.waitaof(0, 0, 0)) is not None
        return self._waits_for_disk


def _known(ask: Callable[[], Any]) -> Any | None:
    """The answer, None if the server does not know the command or forbids it."""
    try:
        return ask()
    except redis.ResponseError:
        # That it cannot be asked is the answer; a server out of reach is another error.
        return None


def _fsyncs_always(info: Any, setting: Any) -> bool:
    found = {_text(name): _text(value) for name, value in setting.items()}
    healthy = info.get("aof_last_write_status", "ok") == "ok"
    return bool(info.get("aof_enabled")) and healthy and found.get("appendfsync") == "always"


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value
