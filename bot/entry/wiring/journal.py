"""Opens the journal of repairs, or says why the bot only reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from bot.app.ports import Clock
from bot.entry.storesettings import AuditSettings, StoreSettings
from bot.knowledge.words import Words

if TYPE_CHECKING:
    from redis import Redis

    from bot.adapters.redis.client import Keys
    from bot.adapters.redis.journal import RedisJournal
    from bot.remedy.audit import AuditKey

#: Reasons of the catalogue.
NO_KEY = "read-only-no-audit-key"
UNREACHABLE = "read-only-redis-unreachable"
OTHER_KEY = "audit-other-key"


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """The journal, None without a key, and why nothing may be changed: reasons of the catalogue, empty if it may.

    Where the store does not keep things as the settings demand, what people say is written as well as it can be:
    nothing is done in the cluster on the strength of it, and a freeze that may be lost is better than none.
    """

    journal: RedisJournal | None
    read_only: tuple[str, ...]


def open_journal(settings: StoreSettings, client: Redis, keys: Keys, clock: Clock) -> Opened:
    """The journal of this Redis, looked over. What holds is looked at once: a process keeps to what it found."""
    from bot.adapters.auditlog import log_entry
    from bot.adapters.redis.durability import Durability
    from bot.adapters.redis.journal import RedisJournal

    current, *before = audit_keys(settings) or (None,)
    if current is None:
        return Opened(journal=None, read_only=(NO_KEY,))

    def journal(durability: Durability, replicas: int) -> RedisJournal:
        return RedisJournal(
            client,
            keys,
            clock,
            current,
            sink=log_entry,
            keys_before=[one for one in before if one],
            durability=durability,
            replicas=replicas,
        )

    demanded = journal(Durability(settings.durability), settings.redis_replicas)
    read_only = demanded.preflight()
    if not set(read_only) - {UNREACHABLE}:
        return Opened(journal=demanded, read_only=read_only)
    return Opened(journal=journal(Durability.BEST_EFFORT, 0), read_only=read_only)


def warnings_of(read_only: tuple[str, ...], say: Words) -> tuple[str, ...]:
    """What to know of whatever is written into such a store."""
    return tuple(say.told("cli-may-be-lost", why=say.reason(one)) for one in read_only)


def audit_keys(settings: AuditSettings) -> tuple[bytes, ...]:
    """The current key and the one before it; none if there is no current one."""
    if settings.audit_key is None:
        return ()
    both = (settings.audit_key, settings.audit_key_before)
    return tuple(one.get_secret_value().encode() for one in both if one is not None)


def seals_of(settings: AuditSettings) -> tuple[AuditKey, ...]:
    """The same keys as what seals and what a seal is checked with."""
    from bot.remedy.audit import AuditKey

    return tuple(AuditKey(one) for one in audit_keys(settings))
