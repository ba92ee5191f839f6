"""Axes: what a text replaces; whose it is; how old it is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import cast

import msgspec
import pytest
import redis

from bot.adapters.redis.client import Keys
from bot.adapters.redis.pastes import RedisPastes
from bot.model.findings import Reporter
from bot.model.hosttext import HostSource, HostText
from tests.support.redis import SetClock

JOURNAL = HostText(
    node="omen2",
    source=HostSource.JOURNAL,
    unit="kubelet",
    boot="b1",
    text="E0710 15:39:51 run.go:72] running with swap on is not supported",
    reporter=Reporter("<@U0ONCALL>", datetime(2026, 7, 10, 15, 0, tzinfo=UTC)),
)
SWAPS = HostText(node="omen2", source=HostSource.SWAPS, text="/swapfile file 33554428 0 -2")


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def store(client: redis.Redis, keys: Keys, clock: SetClock) -> RedisPastes:
    return RedisPastes(client, keys, clock, timedelta(hours=2))


def test_a_text_comes_back_as_it_was_kept(store: RedisPastes) -> None:
    store.add(JOURNAL)

    assert store.texts(["omen2"]) == (JOURNAL,)


@pytest.mark.parametrize(
    ("second", "kept"),
    [
        (msgspec.structs.replace(SWAPS, text="Filename Type Size Used Priority"), 1),
        (msgspec.structs.replace(SWAPS, source=HostSource.FSTAB), 2),
        (msgspec.structs.replace(SWAPS, node="omen3"), 2),
    ],
    ids=["the state now", "another file", "another node"],
)
def test_a_newer_state_replaces_the_older(store: RedisPastes, second: HostText, kept: int) -> None:
    store.add(SWAPS)
    store.add(second)

    texts = store.texts()
    assert len(texts) == kept
    assert second in texts


@pytest.mark.parametrize(
    ("second", "kept"),
    [
        (msgspec.structs.replace(JOURNAL, text="another piece"), 2),
        (msgspec.structs.replace(JOURNAL, boot="b2"), 2),
        (msgspec.structs.replace(JOURNAL, reporter=Reporter("<@U0OTHER>")), 1),
    ],
    ids=["another piece", "another boot", "the same pasted again"],
)
def test_pieces_of_a_log_add_up(store: RedisPastes, clock: SetClock, second: HostText, kept: int) -> None:
    store.add(JOURNAL)
    clock.pass_by(timedelta(seconds=1))
    store.add(second)

    assert len(store.texts(["omen2"])) == kept
    assert store.texts(["omen2"])[-1] == second, "the newest is the last"


@pytest.mark.parametrize(
    ("nodes", "found"), [(None, ["omen2", "omen3"]), (["omen3"], ["omen3"]), (["omen"], []), ([], [])]
)
def test_texts_are_found_by_node(store: RedisPastes, nodes: list[str] | None, found: list[str]) -> None:
    store.add(JOURNAL)
    store.add(msgspec.structs.replace(JOURNAL, node="omen3"))

    assert sorted(one.node for one in store.texts(nodes)) == found


@pytest.mark.parametrize(("passed", "is_there"), [(timedelta(minutes=119), True), (timedelta(minutes=121), False)])
def test_a_paste_expires(store: RedisPastes, clock: SetClock, passed: timedelta, is_there: bool) -> None:
    store.add(JOURNAL)
    clock.pass_by(timedelta(minutes=90))
    store.add(msgspec.structs.replace(SWAPS, node="omen3"))
    clock.pass_by(passed - timedelta(minutes=90))

    assert (JOURNAL in store.texts()) is is_there
    assert len(store.texts(["omen3"])) == 1, "a newer one lives on"


def test_redis_itself_drops_every_text(client: redis.Redis, store: RedisPastes) -> None:
    store.add(JOURNAL)
    store.add(SWAPS)
    found = cast("list[bytes]", client.keys("*"))

    assert len(found) == 3
    assert all(0 < cast("int", client.ttl(key)) <= 7_200 for key in found)


def test_texts_that_redis_dropped_are_not_missed(client: redis.Redis, keys: Keys, store: RedisPastes) -> None:
    store.add(JOURNAL)
    client.delete(*cast("list[bytes]", client.keys(keys("pastes", "text", "*"))))

    assert store.texts() == ()


def test_a_node_is_forgotten(client: redis.Redis, store: RedisPastes) -> None:
    store.add(JOURNAL)
    store.add(msgspec.structs.replace(JOURNAL, node="omen3"))
    store.forget("omen2")
    store.forget("unknown")

    assert [one.node for one in store.texts()] == ["omen3"]
    assert len(cast("list[bytes]", client.keys("*"))) == 2


def test_stores_of_other_names_are_apart(client: redis.Redis, keys: Keys, clock: SetClock, store: RedisPastes) -> None:
    waiting = RedisPastes(client, keys, clock, timedelta(hours=2), "waiting")
    waiting.add(JOURNAL)

    assert store.texts() == ()
    assert waiting.texts() == (JOURNAL,)
