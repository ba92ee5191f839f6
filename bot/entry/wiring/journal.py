"""Opens the journal of repairs, or says why the bot only reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from bot.app.ports import Clock
from bot.entry.storesettings import AuditSettings, StoreSettings

if TYPE_CHECKING:
    from redis import Redis

    from bot.adapters.redis.client import Keys
    from bot.adapters.redis.journal import RedisJournal

#: Reasons of the catalogue.
NO_KEY = "read-only-no-audit-key"
UNREACHABLE = "read-only-redis-unreachable"


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """The journal, None without a key, and why nothing may be changed: reasons of the catalogue, empty if it may."""

    journal: RedisJournal | None
    read_only: tuple[str, ...]


def open_journal(settings: StoreSettings, client: Redis, keys: Keys, clock: Clock) -> Opened:
    """The journal of this Redis, looked over."""
    from bot.adapters.auditlog import log_entry
    from bot.adapters.redis.durability import Durability
    from bot.adapters.redis.journal import RedisJournal

    current, *before = audit_keys(settings) or (None,)
    if current is None:
        return Opened(journal=None, read_only=(NO_KEY,))
    journal = RedisJournal(
        client,
        keys,
        clock,
        current,
        sink=log_entry,
        keys_before=[one for one in before if one],
        durability=Durability(settings.durability),
        replicas=settings.redis_replicas,
    )
    return Opened(journal=journal, read_only=journal.preflight())


def audit_keys(settings: AuditSettings) -> tuple[bytes, ...]:
    """The current key and the one before it; none if there is no current one."""
    if settings.audit_key is None:
        return ()
    both = (settings.audit_key, settings.audit_key_before)
    return tuple(one.get_secret_value().encode() for one in both if one is not None)
