"""Axes: what was done to the journal behind its back (edited, deleted, an older value of our own put back); which of
its keys; what the replicas say afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

import msgspec
import pytest
import redis

from bot.adapters.redis.client import Keys
from bot.adapters.redis.journal import RedisJournal
from bot.app.repair.ports import Ledger, NotWritten
from bot.remedy.audit import AuditKey, WeakKey, verify
from bot.remedy.decision import Freeze
from bot.remedy.plan import PlanState, StepState
from tests.support.journals import AUDIT, KEY, holds, journal, kept, offered
from tests.support.plans import change, entry, plan

Values = dict[str, bytes]
Wrong = Callable[[redis.Redis, Keys, Values], object]


def values(client: redis.Redis) -> Values:
    """All keys that hold one value, as they are stored."""
    names = [one.decode() for one in cast("list[bytes]", client.keys("*"))]
    return {one: cast("bytes", client.get(one)) for one in names if client.type(one) == b"string"}


def lived(client: redis.Redis, store: RedisJournal) -> tuple[Values, Ledger]:
    """Every value has an earlier one of our own: those, and what a plan is decided from now."""
    store.bind("bind", "uid-1", entry("cluster-bound", ""))
    store.freeze("freeze", store.read("").freeze, Freeze(frozen=True), entry("froze", ""))
    store.freeze("thaw", store.read("").freeze, Freeze(frozen=False), entry("unfroze", ""))
    before = offered(store)
    assert store.commit("begun", before, change(kept(before), StepState.INTENT))
    older = values(client)
    store.freeze("freeze-2", store.read("").freeze, Freeze(frozen=True), entry("froze", ""))
    store.freeze("thaw-2", store.read("").freeze, Freeze(frozen=False), entry("unfroze", ""))
    before = store.read("p1")
    assert store.commit("applied", before, change(kept(before), StepState.VERIFIED, entry("verified")))
    return older, store.read("p1")


def wipe(client: redis.Redis, keys: Keys, older: Values) -> None:
    client.flushall()


def edit_the_head(client: redis.Redis, keys: Keys, older: Values) -> None:
    name = keys("audit", "head")
    seq = json.loads(client.get(name) or b"{}")["seq"]  # type: ignore[arg-type]
    edited = (client.get(name) or b"").replace(b'"seq":"%s"' % seq.encode(), b'"seq":"2"')  # type: ignore[union-attr]
    client.set(name, edited)


def edit_the_freeze(client: redis.Redis, keys: Keys, older: Values) -> None:
    client.set(keys("freeze"), msgspec.json.encode(Freeze(frozen=False)))


def edit_the_budget(client: redis.Redis, keys: Keys, older: Values) -> None:
    client.set(keys("budget"), b"much")


def say_another_cluster(client: redis.Redis, keys: Keys, older: Values) -> None:
    client.set(keys("journal", "cluster"), b'"uid-2"')


def another_mark(client: redis.Redis, keys: Keys, older: Values) -> None:
    client.set(keys("journal", "gen"), "other")


def cut_the_end_off(client: redis.Redis, keys: Keys, older: Values) -> None:
    ((last, _),) = cast("list[Any]", client.xrevrange(keys("audit"), count=1))
    client.xdel(keys("audit"), last)


def delete(*parts: str) -> Wrong:
    return lambda client, keys, _: client.delete(keys(*parts))


def put_back(*parts: str) -> Wrong:
    def wrong(client: redis.Redis, keys: Keys, older: Values) -> None:
        name = keys(*parts)
        assert older[name] != client.get(name), "the control: it has changed since"
        client.set(name, older[name])

    return wrong


WRONGS: dict[str, tuple[Wrong, str]] = {
    "wipe": (wipe, "freeze-journal-missing"),
    "delete the mark": (delete("journal", "gen"), "freeze-journal-missing"),
    "delete the head": (delete("audit", "head"), "freeze-audit-head"),
    "edit the head": (edit_the_head, "freeze-audit-head"),
    "edit the freeze": (edit_the_freeze, "freeze-unreadable"),
    "edit the budget": (edit_the_budget, "freeze-unreadable"),
    "say another cluster": (say_another_cluster, "freeze-unreadable"),
    "another mark": (another_mark, "freeze-rolled-back"),
    "delete the freeze": (delete("freeze"), "freeze-gone"),
    "delete the budget": (delete("budget"), "freeze-gone"),
    "delete the cluster": (delete("journal", "cluster"), "freeze-gone"),
    "put the freeze back": (put_back("freeze"), "freeze-rolled-back"),
    "put the budget back": (put_back("budget"), "freeze-rolled-back"),
    "put the head back": (put_back("audit", "head"), "freeze-audit-head"),
    "cut the end off": (cut_the_end_off, "freeze-audit-head"),
}


@pytest.mark.parametrize(("wrong", "why"), WRONGS.values(), ids=list(WRONGS))
@pytest.mark.parametrize("process", ["that saw it all", "that has just started"])
def test_a_store_that_was_meddled_with_freezes_all_replicas_until_people_lift_it(
    client: redis.Redis, keys: Keys, store: RedisJournal, wrong: Wrong, why: str, process: str
) -> None:
    older, before = lived(client, store)
    wrong(client, keys, older)
    if process == "that has just started" and wrong is not wipe:
        store = journal(client, keys)
    assert not store.commit("one", before, change(kept(before))), "what was decided before counts no more"
    for replica in (store, journal(client, keys)):
        found = replica.read("p2").freeze
        assert (found.frozen, found.why) == (True, why)
    assert store.entries()[-1] | {"details.why": why, "type": "froze-itself"} == store.entries()[-1]

    assert store.freeze("lift", store.read("").freeze, Freeze(frozen=False), entry("unfroze", ""))
    for replica in (store, journal(client, keys)):
        assert not replica.read("p1").freeze.frozen
        assert replica.commit("two", replica.read("p2"), change(plan("p2")))


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


@pytest.mark.parametrize("wrong", [delete("plan", "p1"), put_back("plan", "p1")], ids=["deleted", "put back"])
@pytest.mark.parametrize("listed", [True, False])
def test_a_plan_that_is_not_as_it_was_last_written_is_no_plan(
    client: redis.Redis, keys: Keys, store: RedisJournal, wrong: Wrong, listed: bool
) -> None:
    offered(store, plan("p2"))
    before = offered(store)
    older = values(client)
    assert store.commit("denied", before, change(kept(before), StepState.AWAITING, entry("denied")))
    wrong(client, keys, older)
    if not listed:
        client.delete(keys("plans"))

    for replica in (store, journal(client, keys)):
        with pytest.raises(NotWritten, match="p1"):
            replica.read("p1")
        with pytest.raises(NotWritten, match="p1"):
            replica.commit("one", before, change(kept(before)))
        assert [one.id for one in replica.plans()] == ["p2"], "also where somebody deleted the list"
        assert not replica.read("p2").freeze.frozen


def test_a_plan_that_is_over_cannot_be_opened_again(client: redis.Redis, keys: Keys, store: RedisJournal) -> None:
    before = offered(store)
    older = values(client)
    over = msgspec.structs.replace(kept(before), state=PlanState.ABORTED)
    assert store.commit("aborted", before, change(over, StepState.ABORTED, entry("aborted")))
    assert kept(store.read("p1")).state is PlanState.ABORTED, "the control"
    put_back("plan", "p1")(client, keys, older)
    client.sadd(keys("plans"), "p1")

    with pytest.raises(NotWritten, match="p1"):
        journal(client, keys).read("p1")
    assert journal(client, keys).plans() == ()


def test_once_people_lifted_the_freeze_for_a_lost_head_what_stands_there_counts(
    client: redis.Redis, keys: Keys, store: RedisJournal
) -> None:
    store.bind("bind", "uid-1", entry("cluster-bound", ""))
    offered(store)
    client.delete(keys("audit", "head"))
    assert store.freeze("lift", store.read("").freeze, Freeze(frozen=False), entry("unfroze", ""))
    older = values(client)

    before = store.read("p1")
    assert (store.cluster(), [one.id for one in store.plans()]) == ("uid-1", ["p1"])
    assert store.commit("on", before, change(kept(before), StepState.APPROVED))
    put_back("plan", "p1")(client, keys, older)
    with pytest.raises(NotWritten, match="p1"):
        store.read("p1")


def test_an_op_that_somebody_deleted_is_decided_again_and_both_stand_in_the_audit(
    client: redis.Redis, keys: Keys, store: RedisJournal
) -> None:
    store.note("one", entry("noted"))
    client.delete(keys("op", "one"))
    store.note("one", entry("noted"))
    assert [one["type"] for one in store.entries()] == ["journal-begun", "noted", "noted"]
    assert holds(store)


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
    store.freeze("freeze", store.read("").freeze, Freeze(frozen=True), entry("froze", ""))
    store.freeze("thaw", store.read("").freeze, Freeze(frozen=False), entry("unfroze", ""))
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
