"""Axes: what the server persists; whether it can say so of one write; what is demanded; what a user may ask it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import redis

from bot.adapters.redis.client import Keys, connect
from bot.adapters.redis.durability import Confirming, Durability
from bot.adapters.redis.queue import RedisQueue
from bot.app.ports import QueueUnavailable
from bot.app.repair.ports import NotWritten
from bot.app.requests import Ask
from bot.model.incident import Place
from tests.support.journals import journal, kept, offered
from tests.support.plans import change, entry


@contextmanager
def settings(client: redis.Redis, **wanted: str) -> Iterator[None]:
    """The server with these settings, and afterwards with those that it had."""
    names = [one.replace("_", "-") for one in wanted]
    before = {name: client.config_get(name)[name] for name in names}
    try:
        for name, value in zip(names, wanted.values(), strict=True):
            client.config_set(name, value)
        yield
    finally:
        for name, value in before.items():
            client.config_set(name, value)


def waits_for_disk(client: redis.Redis) -> bool:
    try:
        client.waitaof(0, 0, 0)
    except redis.ResponseError:
        return False
    return True


@pytest.mark.parametrize("fsync", ["always", "everysec"])
def test_a_server_that_writes_to_disk_is_believed_as_far_as_it_says_so(
    client: redis.Redis, keys: Keys, fsync: str
) -> None:
    with settings(client, appendonly="yes", appendfsync=fsync):
        store = journal(client, keys, durability=Durability.STRICT)
        if fsync == "everysec" and not waits_for_disk(client):
            assert store.preflight() == ("read-only-redis-fsync",)
            with pytest.raises(NotWritten, match="store-never-on-disk"):
                store.begin("begin", entry("journal-begun", ""))
            return
        assert store.preflight() == ()
        assert store.begin("begin", entry("journal-begun", ""))
        before = offered(store)
        assert store.commit("one", before, change(kept(before)))
        assert store.commit("one", before, change(kept(before))), "confirmed anew"


def test_a_server_in_memory_only_is_not_enough(client: redis.Redis, keys: Keys) -> None:
    store = journal(client, keys, durability=Durability.STRICT)

    assert store.preflight() == ("read-only-redis-appendonly-off",)
    with pytest.raises(NotWritten):
        store.begin("begin", entry("journal-begun", ""))
    with pytest.raises(NotWritten):
        store.begin("begin", entry("journal-begun", "")), "the second time it is there, and still not on disk"


def test_best_effort_takes_it_and_says_so(client: redis.Redis, keys: Keys) -> None:
    store = journal(client, keys, durability=Durability.BEST_EFFORT)

    assert store.best_effort
    assert not journal(client, keys, durability=Durability.STRICT).best_effort
    assert store.preflight() == ()
    assert store.begin("begin", entry("journal-begun", ""))


@pytest.mark.parametrize("durability", Durability)
def test_a_server_that_throws_data_away_is_refused(client: redis.Redis, keys: Keys, durability: Durability) -> None:
    with settings(client, appendonly="yes", appendfsync="always", maxmemory_policy="allkeys-lru"):
        assert journal(client, keys, durability=durability).preflight() == ("read-only-redis-evicts",)


def test_replicas_that_are_not_there_are_missed(client: redis.Redis, keys: Keys) -> None:
    with settings(client, appendonly="yes", appendfsync="always"):
        store = journal(client, keys, durability=Durability.STRICT, replicas=1)
        assert store.preflight() == ("read-only-redis-replicas-missing",)
        with pytest.raises(NotWritten, match="store-replicas 0/1"):
            store.begin("begin", entry("journal-begun", ""))


def test_a_replica_is_not_written_to(client: redis.Redis) -> None:
    client.replicaof("127.0.0.1", "1")
    try:
        assert Confirming(client, Durability.BEST_EFFORT).preflight() == ("read-only-redis-replica",)
    finally:
        client.replicaof("no", "one")


def test_a_user_who_may_not_ask_for_the_settings_is_told(client: redis.Redis, redis_url: str, keys: Keys) -> None:
    client.acl_setuser("asker", enabled=True, nopass=True, keys=["*"], categories=["+@all"], commands=["-config"])
    try:
        with settings(client, appendonly="yes", appendfsync="always"), connect(redis_url) as other:
            other.execute_command("AUTH", "asker", "any")
            found = journal(other, keys, durability=Durability.STRICT).preflight()
    finally:
        client.acl_deluser("asker")

    assert found == (() if waits_for_disk(client) else ("read-only-redis-config-forbidden",))


def test_a_full_server_takes_nothing_and_goes_on_when_there_is_room(client: redis.Redis, keys: Keys) -> None:
    store = journal(client, keys)
    store.begin("begin", entry("journal-begun", ""))
    before, queue = offered(store), RedisQueue(client, keys)
    decision, ask = change(kept(before)), Ask(id="Ev1", words="node omen2", place=Place("C0GPU", "1.2"), user="U0ANA")
    with settings(client, maxmemory="1"):
        with pytest.raises(NotWritten, match="maxmemory"):
            store.commit("one", before, decision)
        with pytest.raises(QueueUnavailable, match="maxmemory"):
            queue.enqueue(ask, dedupe=())
        assert store.read(kept(before).id) == before, "what was written can still be read"
    assert store.commit("one", before, decision)
    assert queue.enqueue(ask, dedupe=())
