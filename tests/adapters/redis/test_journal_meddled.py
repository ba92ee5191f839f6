"""Axes: what was done to the journal behind its back; which of its keys; what the replicas say afterwards."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
import redis

from bot.adapters.redis.client import Keys
from bot.adapters.redis.journal import RedisJournal
from bot.app.repair.ports import NotWritten
from bot.remedy.audit import AuditKey, WeakKey, verify
from bot.remedy.decision import Freeze
from tests.support.journals import AUDIT, KEY, holds, journal, kept, offered
from tests.support.plans import change, entry, plan


def wipe(client: redis.Redis, keys: Keys) -> None:
    client.flushall()


def lose_the_mark(client: redis.Redis, keys: Keys) -> None:
    client.delete(keys("journal", "gen"))


def lose_the_head(client: redis.Redis, keys: Keys) -> None:
    client.delete(keys("audit", "head"))


def edit_the_head(client: redis.Redis, keys: Keys) -> None:
    name = keys("audit", "head")
    client.set(name, (client.get(name) or b"").replace(b'"seq":"3"', b'"seq":"2"'))  # type: ignore[union-attr]


def edit_the_freeze(client: redis.Redis, keys: Keys) -> None:
    client.set(keys("freeze"), msgspec.json.encode(Freeze(frozen=False)))


def edit_the_budget(client: redis.Redis, keys: Keys) -> None:
    client.set(keys("budget"), b"much")


def say_another_cluster(client: redis.Redis, keys: Keys) -> None:
    client.set(keys("journal", "cluster"), b'"uid-2"')


def another_mark(client: redis.Redis, keys: Keys) -> None:
    client.set(keys("journal", "gen"), "other")


WRONGS = {
    wipe: "freeze-journal-missing",
    lose_the_mark: "freeze-journal-missing",
    lose_the_head: "freeze-audit-head",
    edit_the_head: "freeze-audit-head",
    edit_the_freeze: "freeze-unreadable",
    edit_the_budget: "freeze-unreadable",
    say_another_cluster: "freeze-unreadable",
    another_mark: "freeze-rolled-back",
}


@pytest.mark.parametrize("wrong", WRONGS, ids=lambda one: one.__name__)
def test_a_store_that_was_meddled_with_freezes_all_replicas_until_people_lift_it(
    client: redis.Redis, keys: Keys, store: RedisJournal, wrong: Any
) -> None:
    before = offered(store)
    store.note("third", entry("noted"))
    wrong(client, keys)

    assert not store.commit("one", before, change(kept(before))), "what was decided before counts no more"
    for replica in (store, journal(client, keys)):
        found = replica.read("p1").freeze
        assert (found.frozen, found.why) == (True, WRONGS[wrong])
    assert store.entries()[-1] | {"details.why": WRONGS[wrong], "type": "froze-itself"} == store.entries()[-1]

    assert store.freeze("lift", store.read("p1").freeze, Freeze(frozen=False), entry("unfroze", ""))
    for replica in (store, journal(client, keys)):
        assert not replica.read("p1").freeze.frozen


def test_a_store_set_back_to_an_older_state_freezes(client: redis.Redis, keys: Keys, store: RedisJournal) -> None:
    names = [one.decode() for one in client.keys("*")]  # type: ignore[union-attr]
    older = {name: client.dump(name) for name in names}
    offered(store)
    client.flushall()
    for name, value in older.items():
        client.restore(name, 0, value)  # type: ignore[arg-type]

    assert store.read("p1").freeze.why == "freeze-rolled-back"
    assert holds(store), "the older chain is genuine, which is why only who saw more can tell"


def test_the_control_a_store_that_nobody_meddled_with_does_not_freeze(
    client: redis.Redis, keys: Keys, store: RedisJournal
) -> None:
    offered(store)
    assert not store.read("p1").freeze.frozen
    assert not journal(client, keys).read("p1").freeze.frozen


@pytest.mark.parametrize("edit", [lambda one: one.replace(b"awaiting", b"verified"), lambda one: b"{}"])
def test_a_plan_that_somebody_else_wrote_is_no_plan(
    client: redis.Redis, keys: Keys, store: RedisJournal, edit: Any
) -> None:
    offered(store)
    offered(store, plan("p2"))
    client.set(keys("plan", "p1"), edit(client.get(keys("plan", "p1"))))

    with pytest.raises(NotWritten, match="p1"):
        store.read("p1")
    assert [one.id for one in store.plans()] == ["p2"], "one broken plan does not hide the others"


def test_one_plan_cannot_be_passed_off_as_another(client: redis.Redis, keys: Keys, store: RedisJournal) -> None:
    offered(store)
    client.set(keys("plan", "p2"), client.get(keys("plan", "p1")))  # type: ignore[arg-type]

    with pytest.raises(NotWritten):
        store.read("p2")


def test_nobody_can_pretend_that_an_op_was_carried_out(client: redis.Redis, keys: Keys, store: RedisJournal) -> None:
    before = offered(store)
    client.set(keys("op", "one"), b"")

    with pytest.raises(NotWritten):
        store.commit("one", before, change(kept(before)))
    with pytest.raises(NotWritten):
        store.known("one")


def test_a_key_is_replaced_without_a_freeze_where_the_old_one_is_told(
    client: redis.Redis, keys: Keys, store: RedisJournal
) -> None:
    offered(store)
    new = b"another audit key for the tests!"
    after = journal(client, keys, key=new, keys_before=[KEY])
    after.note("one", entry("noted"))

    assert not after.read("p1").freeze.frozen
    lines, head = after.audit()
    assert verify(lines, [AuditKey(new), *AUDIT], head) is None
    assert verify(lines, [AuditKey(new)], head) is not None
    assert journal(client, keys, key=new).read("p2").freeze.frozen is False
    assert journal(client, keys).read("p2").freeze.why == "freeze-audit-head"


def test_a_short_key_is_refused(client: redis.Redis, keys: Keys) -> None:
    with pytest.raises(WeakKey, match="31 bytes"):
        journal(client, keys, key=KEY[:31])
