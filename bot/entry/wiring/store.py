"""The connections to the shared Redis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from bot.entry.storesettings import StoreSettings

if TYPE_CHECKING:
    from redis import Redis

    from bot.adapters.redis.client import Keys


class Store(msgspec.Struct, frozen=True, kw_only=True):
    """One Redis: a client for writes, the names of its keys, and a new client for each reader of a queue."""

    client: Redis
    keys: Keys
    url: str
    password: str | None

    def reader(self) -> Redis:
        """A client that never sends anything twice."""
        from bot.adapters.redis.client import connect_reader

        return connect_reader(self.url, self.password)


def open_store(settings: StoreSettings) -> Store:
    """The store of these settings; nothing is sent yet."""
    from bot.adapters.redis.client import Keys, connect

    url = settings.redis_url.get_secret_value()
    password = settings.redis_password.get_secret_value() if settings.redis_password else None
    return Store(client=connect(url, password), keys=Keys(settings.cluster), url=url, password=password)
