"""Axes: how many write the journal at once; when a writer is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from bot.adapters.redis.client import Keys, connect
from bot.adapters.redis.journal import RedisJournal
from bot.remedy.plan import StepState
from tests.support.journals import holds, journal, kept, offered
from tests.support.plans import change, entry, plan, step


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
from tests.support.journals import journal, kept
from tests.support.plans import change
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
