"""The journal of plans on a real Redis for tests: how it is made, a plan offered in it, whether its chain holds."""

from __future__ import annotations

from typing import Any

import redis

from bot.adapters.redis.client import Keys
from bot.adapters.redis.durability import Durability
from bot.adapters.redis.journal import RedisJournal
from bot.app.repair.ports import Ledger
from bot.remedy.audit import AuditKey, verify
from bot.remedy.plan import Plan
from tests.support.plans import AT, change, entry, plan
from tests.support.redis import SetClock

KEY = b"an audit key for tests, 32 bytes"
AUDIT = [AuditKey(KEY)]


def journal(client: redis.Redis, keys: Keys, clock: SetClock | None = None, **options: Any) -> RedisJournal:
    fixed = {"sink": lambda _: None, "durability": Durability.BEST_EFFORT, **options}
    return RedisJournal(client, keys, clock or SetClock(AT), fixed.pop("key", KEY), **fixed)


def offered(store: RedisJournal, one: Plan | None = None) -> Ledger:
    """The ledger of a plan that has just been offered."""
    new = one or plan()
    before = store.read(new.id)
    assert store.commit(f"offer-{new.id}", before, change(new, new.steps[0].state, entry("offered", new.incident)))
    return store.read(new.id)


def kept(ledger: Ledger) -> Plan:
    assert ledger.plan is not None
    return ledger.plan


def holds(store: RedisJournal) -> bool:
    lines, head = store.audit()
    return verify(lines, AUDIT, head) is None
