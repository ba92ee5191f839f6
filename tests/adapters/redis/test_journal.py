"""Axes: what changed since it was read; which op comes again; what is counted, listed and told; who is away."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
import redis

from bot.adapters.redis import wakes
from bot.adapters.redis.client import Keys, connect, connect_reader
from bot.adapters.redis.journal import RedisJournal
from bot.adapters.redis.wakes import RedisWakes
from bot.app.repair.ports import NotWritten
from bot.remedy.decision import Budget, Freeze
from bot.remedy.plan import PlanState, StepState
from bot.remedy.runbook import Verb
from tests.support.journals import holds, journal, kept, offered
from tests.support.plans import ANA, AT, change, entry, plan, refusal, step
from tests.support.redis import SetClock


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
