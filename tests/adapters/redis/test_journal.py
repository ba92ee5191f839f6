"""Axes: what changed since it was read; which op comes again; what was done to the store; how many write at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Barrier
from typing import Any

import msgspec
import pytest
import redis

from bot.adapters.redis import wakes
from bot.adapters.redis.client import Keys, connect, connect_reader
from bot.adapters.redis.durability import Durability
from bot.adapters.redis.journal import RedisJournal
from bot.adapters.redis.wakes import RedisWakes
from bot.app.repair.ports import Ledger, NotBegun, NotWritten
from bot.remedy.audit import AuditKey, WeakKey, verify
from bot.remedy.decision import Budget, Freeze
from bot.remedy.plan import Plan, PlanState, StepState
from bot.remedy.runbook import Verb
from tests.support.plans import ANA, AT, change, entry, plan, refusal, step
from tests.support.redis import SetClock

KEY = b"an audit key for tests, 32 bytes"
AUDIT = [AuditKey(KEY)]


def journal(client: redis.Redis, keys: Keys, clock: SetClock | None = None, **options: Any) -> RedisJournal:
    fixed = {"sink": lambda _: None, "durability": Durability.BEST_EFFORT, **options}
    return RedisJournal(client, keys, clock or SetClock(AT), fixed.pop("key", KEY), **fixed)


@pytest.fixture
def store(client: redis.Redis, keys: Keys) -> RedisJournal:
    made = journal(client, keys)
    assert made.begin("begin", entry("journal-begun", ""))
    return made


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


def test_a_plan_is_read_as_it_was_written(store: RedisJournal) -> None:
    ledger = offered(store)

    assert kept(ledger) == msgspec.structs.replace(plan(), revision=1)
    assert not ledger.freeze.frozen
    assert [one["type"] for one in store.entries()] == ["journal-begun", "offered"]
    assert holds(store)


def test_a_stale_writer_is_refused_writes_nothing_and_decides_again(store: RedisJournal) -> None:
    before = offered(store)
    assert store.commit("one", before, change(kept(before), StepState.APPROVED))

    assert not store.commit("two", before, change(kept(before), StepState.DENIED))
    assert kept(store.read("p1")).steps[0].state is StepState.APPROVED
    assert not store.known("two")

    again = store.read("p1")
    assert store.commit("two", again, change(kept(again), StepState.DENIED))
    assert kept(store.read("p1")).revision == 3
    assert holds(store)


def test_the_same_op_twice_has_one_effect_and_one_answer(store: RedisJournal) -> None:
    before = offered(store)
    decision = change(kept(before), StepState.APPROVED)

    assert [store.commit("one", before, decision) for _ in range(3)] == [True] * 3
    assert kept(store.read("p1")).revision == 2
    assert [one["type"] for one in store.entries()][1:] == ["offered", "approved"]
    assert store.known("one")


class RepliesGetLost(redis.Redis):
    """A client whose every batch runs twice, as one that is sent again after its reply got lost."""

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> Any:
        pipe = super().pipeline(transaction, shard_hint)
        execute = pipe.execute

        def twice(raise_on_error: bool = True) -> Any:
            stack = list(pipe.command_stack)
            execute(raise_on_error)
            pipe.command_stack = stack
            return execute(raise_on_error)

        pipe.execute = twice
        return pipe


def test_a_write_sent_again_after_its_reply_got_lost_is_ours(redis_url: str, keys: Keys) -> None:
    with RepliesGetLost.from_url(redis_url) as unlucky:
        store = journal(unlucky, keys)
        assert store.begin("begin", entry("journal-begun", ""))
        before = offered(store)
        assert store.commit("one", before, change(kept(before)))

        assert kept(store.read("p1")).revision == 2
        assert len(store.entries()) == 3
        assert holds(store)


def test_what_others_chain_meanwhile_makes_no_decision_stale(store: RedisJournal) -> None:
    before = offered(store)
    store.note("noted", entry("refused"))

    assert store.commit("one", before, change(kept(before)))
    assert [one["type"] for one in store.entries()][1:] == ["offered", "refused", "intent"]
    assert holds(store)


def test_a_refusal_is_chained_and_changes_no_plan(store: RedisJournal) -> None:
    before = offered(store)

    assert store.commit("one", before, refusal(kept(before)))
    assert store.read("p1").plan == before.plan
    assert store.entries()[-1]["type"] == "refused"


@pytest.mark.parametrize("frozen", [True, False])
def test_a_decision_made_under_another_freeze_is_refused(store: RedisJournal, frozen: bool) -> None:
    before = offered(store)
    assert store.freeze("f1", before.freeze, Freeze(frozen=True, why="storm", by=ANA), entry("froze", ""))
    if not frozen:
        now = store.read("p1").freeze
        assert store.freeze("f2", now, Freeze(frozen=False), entry("unfroze", ""))

    assert not store.commit("one", before, change(kept(before)))


def test_of_two_who_change_the_freeze_one_does(store: RedisJournal) -> None:
    before = store.read("p1").freeze

    assert store.freeze("f1", before, Freeze(frozen=True, why="storm", by=ANA), entry("froze", ""))
    assert not store.freeze("f2", before, Freeze(frozen=True, why="other"), entry("froze", ""))
    assert store.read("p1").freeze == Freeze(frozen=True, why="storm", by=ANA, revision=1)


def test_a_decision_may_freeze_together_with_its_plan(store: RedisJournal) -> None:
    before = offered(store)
    decision = msgspec.structs.replace(change(kept(before), StepState.FAILED), freeze=Freeze(frozen=True, why="many"))

    assert store.commit("one", before, decision)
    assert store.read("p1").freeze == Freeze(frozen=True, why="many", revision=1)


def test_the_budget_counts_mutations_failures_and_what_runs(client: redis.Redis, keys: Keys) -> None:
    clock = SetClock(AT)
    store = journal(client, keys, clock, limits=Budget(per_hour=7))
    store.begin("begin", entry("journal-begun", ""))
    before = offered(store)
    assert store.commit("one", before, change(kept(before), StepState.INTENT))
    running = store.read("p1")
    assert (running.budget.mutations, running.budget.running, running.budget.per_hour) == ((AT,), 1, 7)

    clock.pass_by(timedelta(minutes=59))
    assert store.commit("two", running, change(kept(running), StepState.FAILED))
    assert store.read("p1").budget.failures == (clock.at,)
    assert store.read("p1").budget.running == 0
    assert store.read("p1").budget.mutations == (AT,)

    clock.pass_by(timedelta(minutes=1))
    assert store.read("p1").budget.mutations == ()


def test_what_a_person_does_costs_no_budget(store: RedisJournal) -> None:
    before = offered(store, plan("p1", "inc1", step(verb=Verb.HOST)))
    assert store.commit("one", before, change(kept(before), StepState.FAILED))

    assert store.read("p1").budget == Budget()


def test_of_two_plans_that_begin_at_once_the_second_decides_again(store: RedisJournal) -> None:
    one, two = offered(store, plan("p1")), offered(store, plan("p2"))

    assert store.commit("one", one, change(kept(one)))
    assert not store.commit("two", two, change(kept(two))), "it did not know that another one runs"


@pytest.mark.parametrize(
    ("state", "steps", "listed"),
    [
        (PlanState.CHOOSING, StepState.PENDING, True),
        (PlanState.ACTIVE, StepState.AWAITING, True),
        (PlanState.DONE, StepState.VERIFIED, False),
        (PlanState.ABORTED, StepState.ABORTED, False),
        (PlanState.HALTED, StepState.FAILED, False),
        (PlanState.HALTED, StepState.UNKNOWN, True),
        (PlanState.ABORTED, StepState.DISPATCHED, True),
    ],
)
def test_plans_that_are_not_over_are_listed(
    store: RedisJournal, state: PlanState, steps: StepState, listed: bool
) -> None:
    before = offered(store)
    decision = change(kept(before), steps)
    after = msgspec.structs.replace(decision.plan, state=state)
    assert store.commit("one", before, msgspec.structs.replace(decision, plan=after))

    assert [one.id for one in store.plans()] == (["p1"] if listed else [])
    assert [one.id for one in store.plans(incident="inc1")] == ["p1"]
    assert store.plans(incident="other") == ()


def test_a_plan_is_not_over_while_something_temporary_waits_to_be_taken_back(store: RedisJournal) -> None:
    temporary = msgspec.structs.replace(step(state=StepState.VERIFIED), temporary_until=AT)
    before = offered(store, msgspec.structs.replace(plan("p1", "inc1", temporary), state=PlanState.DONE))

    assert [one.id for one in store.plans()] == ["p1"]
    after = msgspec.structs.replace(temporary, temporary_until=None)
    done = msgspec.structs.replace(kept(before), steps=(after,))
    assert store.commit("one", before, msgspec.structs.replace(refusal(done), changed=True))
    assert store.plans() == ()


def test_entries_are_of_one_incident_or_all(store: RedisJournal) -> None:
    store.note("one", entry("a", "inc1"), entry("b", "inc2"))

    assert [one["type"] for one in store.entries(incident="inc2")] == ["b"]
    assert [one["type"] for one in store.entries()] == ["journal-begun", "a", "b"]


def test_every_entry_goes_to_the_second_sink_exactly_as_it_is_chained(client: redis.Redis, keys: Keys) -> None:
    lines: list[bytes] = []
    store = journal(client, keys, sink=lines.append)
    store.begin("begin", entry("journal-begun", ""))
    store.note("one", entry("a"), entry("b"))

    assert tuple(lines) == store.audit()[0]


def test_nothing_counts_as_written_until_the_second_sink_has_it_and_then_it_does(
    client: redis.Redis, keys: Keys, store: RedisJournal
) -> None:
    def full(_: bytes) -> None:
        raise OSError("no space left on device")

    before = offered(store)
    with pytest.raises(NotWritten, match="no space"):
        journal(client, keys, sink=full).commit("one", before, change(kept(before)))

    lines: list[bytes] = []
    assert journal(client, keys, sink=lines.append).commit("one", before, change(kept(before)))
    assert [b'"intent"' in line for line in lines] == [True]
    assert kept(store.read("p1")).revision == 2


def test_a_step_to_run_wakes_one_executor(store: RedisJournal, redis_url: str, keys: Keys) -> None:
    before = offered(store)
    assert store.commit("one", before, change(kept(before), StepState.APPROVED, work=("guard",)))
    with connect_reader(redis_url) as reader:
        waiting = RedisWakes(reader, keys)
        assert [waiting.wait(timedelta(seconds=0.01)) for _ in range(2)] == [True, False]


def test_signals_that_nobody_hears_do_not_pile_up(store: RedisJournal, client: redis.Redis, keys: Keys) -> None:
    before = offered(store)
    assert store.commit("one", before, change(kept(before), StepState.APPROVED, work=tuple(map(str, range(500)))))
    assert client.llen(wakes.key(keys)) == 100


def test_a_store_without_a_journal_is_frozen_and_a_look_writes_nothing(client: redis.Redis, keys: Keys) -> None:
    store = journal(client, keys)

    assert store.read("p1").freeze == Freeze(frozen=True, why="freeze-journal-not-begun")
    assert (store.plans(), store.entries(), store.known("one"), store.cluster()) == ((), (), False, None)
    assert client.keys("*") == []
    assert store.begin("begin", entry("journal-begun", ""))
    assert not store.read("p1").freeze.frozen


def test_nothing_is_written_before_people_began_the_journal(client: redis.Redis, keys: Keys) -> None:
    store = journal(client, keys)
    before = store.read("p1")
    for write in (
        lambda: store.note("one", entry("noted")),
        lambda: store.commit("two", before, change(plan())),
        lambda: store.freeze("three", before.freeze, Freeze(frozen=False), entry("unfroze", "")),
        lambda: store.bind("four", "uid-1", entry("cluster-bound", "")),
    ):
        with pytest.raises(NotBegun, match="audit init"):
            write()
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


def test_a_store_out_of_reach_writes_nothing(keys: Keys, tmp_path: Path) -> None:
    with connect(f"unix://{tmp_path}/nobody") as nobody:
        store = journal(nobody, keys)
        for call in (
            lambda: store.read("p1"),
            lambda: store.note("one", entry()),
            store.plans,
            store.entries,
            lambda: store.known("one"),
        ):
            with pytest.raises(NotWritten):
                call()
        assert store.preflight() == ("read-only-redis-unreachable",)


def test_of_two_committers_from_one_ledger_exactly_one_wins_a_thousand_times(redis_url: str, keys: Keys) -> None:
    rounds, start = 1000, Barrier(2)
    with connect(redis_url) as client:
        store = journal(client, keys)
        store.begin("begin", entry("journal-begun", ""))
        ledgers = [offered(store, plan("p0", "inc1", step(state=StepState.APPROVED)))]

        def race(who: int) -> list[bool]:
            with connect(redis_url) as own:
                mine, wins = journal(own, keys), []
                for number in range(rounds):
                    start.wait()
                    before = ledgers[0]
                    wins.append(mine.commit(f"{number}-{who}", before, change(kept(before), StepState.APPROVED)))
                    start.wait()
                    if who == 0:
                        ledgers[0] = mine.read("p0")
                return wins

        with ThreadPoolExecutor(2) as pool:
            one, two = pool.map(race, range(2))

        assert [a != b for a, b in zip(one, two, strict=True)] == [True] * rounds
        assert kept(store.read("p0")).revision == rounds + 1
        assert len(store.audit()[0]) == rounds + 2
        assert holds(store)


def test_the_chain_holds_under_eight_writers(redis_url: str, keys: Keys) -> None:
    writers, each = 8, 25
    with connect(redis_url) as client:
        store = journal(client, keys)
        store.begin("begin", entry("journal-begun", ""))
        for number in range(writers):
            offered(store, plan(f"p{number}", f"inc{number}", step(state=StepState.APPROVED)))

        def write(who: int) -> None:
            with connect(redis_url) as own:
                mine = journal(own, keys)
                for number in range(each):
                    before = mine.read(f"p{who}")
                    assert mine.commit(f"{who}-{number}", before, change(kept(before), StepState.APPROVED))

        with ThreadPoolExecutor(writers) as pool:
            list(pool.map(write, range(writers)))

        assert [kept(store.read(f"p{who}")).revision for who in range(writers)] == [each + 1] * writers
        assert len(store.audit()[0]) == 1 + writers + writers * each
        assert holds(store)


_CHILD = """
import sys
from bot.adapters.redis.client import Keys, connect
from tests.adapters.redis.test_journal import change, journal, kept
from bot.remedy.plan import StepState
store = journal(connect(sys.argv[1]), Keys("omen"))
print("ready", flush=True)
for number in range(10**6):
    before = store.read("p1")
    print(kept(before).revision, flush=True)
    assert store.commit(f"op-{kept(before).revision}", before, change(kept(before), StepState.APPROVED))
"""


def test_a_writer_killed_at_any_moment_leaves_all_of_a_commit_or_nothing(store: RedisJournal, redis_url: str) -> None:
    offered(store, plan("p1", "inc1", step(state=StepState.APPROVED)))
    for number in range(6):
        with subprocess.Popen([sys.executable, "-c", _CHILD, redis_url], stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == b"ready\n"
            first = child.stdout.readline()
            time.sleep(0.02 + number * 0.0137)
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
            begun = int([first, *child.stdout.read().split()][-1])

        now = store.read("p1")
        assert kept(now).revision in (begun, begun + 1)
        again = change(kept(now), StepState.APPROVED)
        assert store.commit(f"op-{begun}", now, again), "done before or done now, once"
        assert kept(store.read("p1")).revision == begun + 1
        assert [one["type"] for one in store.entries()].count("approved") == begun
        assert holds(store)
