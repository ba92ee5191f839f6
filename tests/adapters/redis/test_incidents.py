"""Axes: what an incident is found by; what changed meanwhile; who owns a key; how many come at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from typing import Any, cast

import msgspec
import pytest
import redis

from bot.adapters.redis.client import Keys, connect
from bot.adapters.redis.incidents import RedisIncidents
from bot.model.incident import Incident, Place, State

AT = datetime(2026, 7, 10, 15, 0, tzinfo=UTC)
SWAP, DOWN = "kubelet-swap-on node/omen2", "kubelet-down node/omen2"


def incident(
    name: str = "one", keys: tuple[str, ...] = (DOWN,), sources: tuple[str, ...] = ("group:g1",), thread: str = ""
) -> Incident:
    return Incident(
        id=name,
        cluster="omen",
        keys=keys,
        opened_by=f"request-{name}",
        opened_at=AT,
        place=Place("C0GPU", thread),
        sources=sources,
        alerts=sources,
    )


@pytest.fixture
def store(client: redis.Redis, keys: Keys) -> RedisIncidents:
    return RedisIncidents(client, keys)


@pytest.mark.parametrize(
    ("second", "is_folded"),
    [
        (incident("two", (DOWN, SWAP), ("group:g2",)), True),
        (incident("two", ("kubelet-down node/omen3",), ("group:g1",)), True),
        (incident("two", (SWAP,), ("group:g2",)), False),
        (incident("two", (), ("group:g2",)), False),
        (incident("two", (), ()), False),
    ],
    ids=["same key", "same source", "another key", "no key", "a conversation"],
)
def test_one_is_opened_unless_its_key_or_source_belongs_to_an_open_one(
    store: RedisIncidents, second: Incident, is_folded: bool
) -> None:
    first = store.open(incident())

    assert store.open(second).id == ("one" if is_folded else "two")
    assert store.by_id("one") == first


def test_a_source_says_more_than_a_key(store: RedisIncidents) -> None:
    store.open(incident("one", (DOWN,), ("group:g1",)))
    store.open(incident("two", (SWAP,), ("group:g2",)))

    assert store.open(incident("three", (DOWN,), ("group:g2",))).id == "two"


def test_what_a_request_began_is_found_again_even_when_resolved(store: RedisIncidents) -> None:
    first = store.open(incident())
    store.save(first, msgspec.structs.replace(first, state=State.RESOLVED))

    again = store.open(incident())

    assert (again.id, again.state) == ("one", State.RESOLVED)


def test_it_is_found_by_its_thread_once_it_has_one(store: RedisIncidents) -> None:
    first = store.open(incident())
    assert store.by_place(Place("C0GPU")) is None
    saved = store.save(first, msgspec.structs.replace(first, place=Place("C0GPU", "1.2"), root="1.2"))

    assert saved is not None
    assert store.by_place(Place("C0GPU", "1.2")) == saved
    assert store.by_place(Place("C0OTHER", "1.2")) is None
    assert store.by_place(Place("C0GPU", "9.9")) is None


def test_a_stale_writer_is_refused_and_changes_nothing(store: RedisIncidents) -> None:
    first = store.open(incident())
    second = store.save(first, msgspec.structs.replace(first, count=2))
    assert second is not None

    assert store.save(first, msgspec.structs.replace(first, count=9, keys=(SWAP,))) is None
    assert store.by_id("one") == second
    assert store.open(incident("two", (SWAP,), ("group:g2",))).id == "two"


def test_of_two_who_write_the_same_one_is_refused(store: RedisIncidents) -> None:
    first = store.open(incident())
    after = msgspec.structs.replace(first, count=2)

    assert [store.save(first, after) is None for _ in range(2)] == [False, True]


class RepliesGetLost(redis.Redis):
    """A client whose every script runs twice, as one does that is sent again after its reply got lost."""

    def evalsha(self, sha: str, numkeys: int, *keys_and_args: Any) -> Any:
        super().evalsha(sha, numkeys, *keys_and_args)
        return super().evalsha(sha, numkeys, *keys_and_args)


def test_a_write_that_is_sent_again_after_its_reply_got_lost_is_ours(redis_url: str, keys: Keys) -> None:
    with RepliesGetLost.from_url(redis_url) as unlucky:
        store = RedisIncidents(unlucky, keys)
        first = store.open(incident())
        saved = store.save(first, msgspec.structs.replace(first, count=2))

        assert saved is not None
        assert saved == store.by_id("one")


def test_a_resolved_one_takes_no_more_alerts_but_keeps_its_thread(store: RedisIncidents) -> None:
    first = store.open(incident(thread="1.2"))
    resolved = store.save(first, msgspec.structs.replace(first, state=State.RESOLVED))

    assert store.by_source("group:g1") is None
    assert store.by_place(Place("C0GPU", "1.2")) == resolved
    assert store.all_open() == ()
    assert store.open(incident("two")).id == "two"


def test_resolving_takes_nothing_from_another_open_one(store: RedisIncidents) -> None:
    first = store.open(incident("one", (DOWN,), ("group:g1",)))
    store.open(incident("two", (SWAP,), ("group:g2",)))
    both = store.save(first, msgspec.structs.replace(first, keys=(DOWN, SWAP)))
    assert both is not None
    assert store.open(incident("three", (SWAP,), ("group:g3",))).id == "two", "a key stays with its first owner"

    store.save(both, msgspec.structs.replace(both, state=State.RESOLVED))

    assert store.open(incident("four", (SWAP,), ("group:g4",))).id == "two"


def test_open_ones_are_listed_by_age_without_conversations(store: RedisIncidents) -> None:
    store.open(msgspec.structs.replace(incident("late"), opened_at=AT + timedelta(hours=1)))
    store.open(incident("early", (SWAP,), ("group:g2",)))
    talk = store.open(incident("talk", (), ()))
    assert [one.id for one in store.all_open()] == ["early", "late"]

    planned = store.save(talk, msgspec.structs.replace(talk, planned=True))
    assert planned is not None
    assert {one.id for one in store.all_open()} == {"early", "late", "talk"}, "a question that a plan came of"
    store.save(planned, msgspec.structs.replace(planned, state=State.RESOLVED))
    assert [one.id for one in store.all_open()] == ["early", "late"]


def test_an_expired_one_is_listed_no_more(store: RedisIncidents, client: redis.Redis, keys: Keys) -> None:
    store.open(incident())
    client.delete(keys("incident", "one"), keys("incident", "one", "revision"))

    assert store.all_open() == ()
    assert client.scard(keys("open")) == 0


def test_everything_but_the_list_of_open_ones_expires(store: RedisIncidents, client: redis.Redis, keys: Keys) -> None:
    store.open(incident(thread="1.2"))
    store.note_over(["f1@2026"])
    found = cast("list[bytes]", client.keys("*"))
    left = {key.decode(): cast("int", client.ttl(key)) / 86_400 for key in found}

    assert {key for key, days in left.items() if days < 0} == {keys("open")}
    assert round(left[keys("incident", "one")]) == 30
    assert round(left[keys("place", "C0GPU", "1.2")]) == 30
    assert round(left[keys("key", DOWN)]) == 2
    assert round(left[keys("over", "f1@2026")]) == 1


def test_ended_alerts_are_remembered_by_name(store: RedisIncidents) -> None:
    store.note_over(["f1@1", "f2@1"])

    assert store.over(["f1@1", "f1@2", "f1@1"]) == {"f1@1"}
    assert store.over([]) == frozenset()


def test_clusters_do_not_see_each_other(client: redis.Redis, keys: Keys) -> None:
    RedisIncidents(client, keys).open(incident())

    assert RedisIncidents(client, Keys("other")).open(incident("two")).id == "two"


def test_of_many_who_open_the_same_at_once_one_does(redis_url: str, keys: Keys) -> None:
    workers, rounds = 6, 60
    start = Barrier(workers)

    def open_all(worker: int) -> list[str]:
        store = RedisIncidents(connect(redis_url), keys)
        winners = []
        for number in range(rounds):
            start.wait()
            # Every worker knows the fault by a key of its own and by one that all share, in another order.
            mine, shared = f"own-{worker} node/n{number}", f"shared node/n{number}"
            names = (mine, shared) if worker % 2 else (shared, mine)
            winners.append(store.open(incident(f"{number}-{worker}", names, (f"group:{number}-{worker}",))).id)
        return winners

    with ThreadPoolExecutor(workers) as pool:
        answers = list(pool.map(open_all, range(workers)))

    assert [len(set(round_)) for round_ in zip(*answers, strict=True)] == [1] * rounds


def test_of_many_who_count_at_once_none_is_lost(redis_url: str, keys: Keys, store: RedisIncidents) -> None:
    workers, each = 6, 20
    store.open(incident())

    def count(_: int) -> None:
        mine = RedisIncidents(connect(redis_url), keys)
        for _ in range(each):
            saved = None
            while saved is None:
                now = mine.by_id("one")
                assert now is not None
                saved = mine.save(now, msgspec.structs.replace(now, count=now.count + 1))

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(count, range(workers)))

    last = store.by_id("one")
    assert last is not None
    assert last.count == 1 + workers * each
