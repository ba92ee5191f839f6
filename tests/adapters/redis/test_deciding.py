"""The one decision over the real store: what two people press at once, twice, and after a freeze."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import msgspec
import pytest
import redis

from bot.adapters.redis.client import Keys, connect
from bot.app.repair.deciding import Decider
from bot.app.repair.ports import Journal
from bot.remedy.audit import verify
from bot.remedy.decision import Decision, Freeze
from bot.remedy.events import Begun, Event
from bot.remedy.plan import BOT, Plan, StepState
from tests.support.journals import AUDIT, journal
from tests.support.plans import entry
from tests.support.redis import SetClock
from tests.support.repairs import ANN, AT, BEN, POLICY, approve, choose, choosing, later, step


def named(event: Event, op_id: str) -> Event:
    return msgspec.structs.replace(event, op_id=op_id)


def decider(store: Journal) -> Decider:
    return Decider(store, POLICY, SetClock(AT))


@pytest.fixture
def begun(client: redis.Redis, keys: Keys) -> Journal:
    store = journal(client, keys)
    store.begin("begin", entry("journal-begun", ""))
    new = choosing()
    decider(store).create("offer", Decision(plan=new, changed=True, reason="r", entries=(entry("plan-offered"),)))
    decider(store).decide(new.id, lambda _: named(choose(step()), "choose"))
    return store


def plan_of(store: Journal) -> Plan:
    found = store.read("plan-1").plan
    assert found is not None
    return found


def test_a_plan_is_created_once(begun: Journal) -> None:
    other = msgspec.structs.replace(choosing(), runbook="other")
    assert decider(begun).create("again", Decision(plan=other, changed=True, reason="r")).runbook == "kubelet-swap"


def test_a_press_that_is_delivered_twice_counts_once(begun: Journal) -> None:
    first, second = (decider(begun).decide("plan-1", lambda plan: named(approve(plan, BEN), "press")) for _ in range(2))

    assert not first.refused
    assert second.refused
    assert [one["type"] for one in begun.entries()].count("approved") == 1
    assert len(plan_of(begun).steps[0].votes) == 1


def test_of_two_executors_that_begin_at_once_one_does(begun: Journal, redis_url: str, keys: Keys) -> None:
    decider(begun).decide("plan-1", lambda plan: named(approve(plan, BEN), "press"))
    start = Barrier(2)

    def begin(who: int) -> bool:
        with connect(redis_url) as client:
            mine = decider(journal(client, keys))
            event = Begun(
                actor=BOT,
                at=AT,
                op_id=f"begin-{who}",
                step="guard",
                owner=f"executor-{who}",
                lease_until=later(minutes=1),
                voters_may=True,
            )
            start.wait()
            return not mine.decide("plan-1", lambda _: event).refused

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(begin, range(2))) == [False, True]
    assert plan_of(begun).steps[0].state is StepState.INTENT
    assert [one["type"] for one in begun.entries()].count("intent") == 1


def test_a_freeze_stops_what_was_approved(begun: Journal, client: redis.Redis) -> None:
    assert begun.freeze(
        "freeze", begun.read("plan-1").freeze, Freeze(frozen=True, why="storm", by=ANN), entry("freeze")
    )

    decision = decider(begun).decide("plan-1", lambda plan: named(approve(plan, BEN), "press"))
    assert decision.reason == "repair-frozen"


def test_the_chain_tells_it_all(client: redis.Redis, keys: Keys, begun: Journal) -> None:
    lines, head = journal(client, keys).audit()
    assert verify(lines, AUDIT, head) is None
    assert [one["type"] for one in begun.entries()] == ["journal-begun", "plan-offered", "chosen", "offered", "plan"]
