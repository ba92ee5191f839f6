"""How a journal begins. Axes: what the store holds; a look or a write; whether it is said which cluster it is of."""

from __future__ import annotations

import pytest
import redis

from bot.adapters.redis.client import Keys
from bot.app.repair.ports import NotBegun
from bot.remedy.decision import NOT_BEGUN, Freeze
from tests.support.journals import holds, journal
from tests.support.plans import change, entry, plan


def test_a_store_without_a_journal_is_frozen_and_a_look_writes_nothing(client: redis.Redis, keys: Keys) -> None:
    store = journal(client, keys)

    assert store.read("p1").freeze == Freeze(frozen=True, why="freeze-journal-not-begun")
    assert (store.plans(), store.entries(), store.known("one"), store.cluster()) == ((), (), False, None)
    assert client.keys("*") == []
    assert store.begin("begin", entry("journal-begun", ""))
    assert not store.read("p1").freeze.frozen


@pytest.mark.parametrize("write", ["note", "commit", "freeze", "bind"])
def test_nothing_is_written_before_people_began_the_journal(client: redis.Redis, keys: Keys, write: str) -> None:
    store = journal(client, keys)
    before = store.read("p1")
    writes = {
        "note": lambda: store.note("one", entry("noted")),
        "commit": lambda: store.commit("two", before, change(plan())),
        "freeze": lambda: store.freeze("three", before.freeze, Freeze(frozen=False), entry("unfroze", "")),
        "bind": lambda: store.bind("four", "uid-1", entry("cluster-bound", "")),
    }
    with pytest.raises(NotBegun, match=NOT_BEGUN):
        writes[write]()
    assert client.keys("*") == []


@pytest.mark.parametrize("left", ["audit", "plans"])
def test_what_is_left_of_a_journal_is_no_store_without_one(client: redis.Redis, keys: Keys, left: str) -> None:
    if left == "audit":
        client.xadd(keys("audit"), {"line": "{}"})
    else:
        client.sadd(keys("plans"), "p1")
    store = journal(client, keys)
    assert store.read("p1").freeze.why == "freeze-journal-missing"
    assert not store.begin("begin", entry("journal-begun", "")), "what froze is not begun by a command"
    assert store.entries()[-1]["type"] == "froze-itself"


def test_a_journal_is_of_one_cluster_for_good(client: redis.Redis, keys: Keys) -> None:
    store = journal(client, keys)
    store.begin("begin", entry("journal-begun", ""))
    assert store.cluster() == ""
    assert store.bind("one", "uid-1", entry("cluster-bound", "")) == "uid-1"
    assert store.bind("two", "uid-2", entry("cluster-bound", "")) == "uid-1"
    assert journal(client, keys).cluster() == "uid-1"
    assert [one["type"] for one in store.entries()] == ["journal-begun", "cluster-bound"]
    assert holds(store)


def test_a_journal_may_begin_with_its_cluster(client: redis.Redis, keys: Keys) -> None:
    store = journal(client, keys)
    assert store.begin("begin", entry("journal-begun", ""), "uid-1")
    assert store.cluster() == "uid-1"
