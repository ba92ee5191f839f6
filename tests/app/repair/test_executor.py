"""Axes: where the process dies; what the cluster answers; what changed between the press and the run; who else runs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest

from bot.adapters.redis.client import connect
from bot.app.repair.executor import LEASE
from bot.app.repair.ports import NotWritten
from bot.app.requests import PressKind
from bot.model.incident import State
from bot.model.sections import Unknown, UnknownReason
from bot.remedy.decision import Freeze
from bot.remedy.digest import exec_id_of
from bot.remedy.plan import Holder, PlanState
from tests.app.repair.small import HANDS, READS, WRITES, Small, call
from tests.support.repair import BEN, CAI, Fuse, Killed

AFTER_LEASE = LEASE + timedelta(seconds=1)
PORTS = (*READS, *WRITES, *HANDS, "post", "edit", "save")


@pytest.fixture
def small(redis_url: str) -> Small:
    return Small(redis_url)


def settle(small: Small) -> None:
    """Another process comes, after every lease has run out, as often as it takes."""
    for _ in range(3):
        small.clock.pass_by(AFTER_LEASE)
        small.run(small.replica("heir"))


def test_an_approved_step_runs_once_with_its_intent_before_and_its_outcome_after(small: Small) -> None:
    small.approve()
    small.run()
    small.run()

    assert len(small.hands.effects) == 1
    types = [one for one in small.types() if one in ("intent", "dispatched", "outcome", "verified")]
    assert types == ["intent", "dispatched", "outcome", "verified"]


def test_the_change_counts_from_world_time_before_its_request(redis_url: str) -> None:
    small = Small(redis_url)
    small.approve()
    small.run()

    assert small.plan().step("first").applied_at == small.world.now()
    assert small.plan().step("first").changed_at == small.clock.now()


def calls_of_one_run(url: str) -> int:
    """How many calls one run makes through its ports."""
    small = Small(url)
    small.approve()
    fuse = Fuse(left=10_000)
    small.run(small.replica("counted", fuse, names=PORTS))
    return 10_000 - fuse.left


@pytest.mark.parametrize("after", [False, True], ids=["before the call", "after the call"])
def test_wherever_it_dies_it_happens_at_most_once_and_everything_has_an_outcome(redis_url: str, after: bool) -> None:
    calls = calls_of_one_run(redis_url)
    assert calls > 15
    ends: dict[str, int] = {}
    for number in range(1, calls + 1):
        connect(redis_url).flushall()
        small = Small(redis_url)
        small.approve()
        with pytest.raises(Killed):
            small.run(small.replica("dies", Fuse(left=number, after=after), names=PORTS))
        settle(small)
        (first, *_) = small.states()
        ends[first] = ends.get(first, 0) + 1
        assert len(small.hands.effects) <= 1, f"call {number}"
        assert first in ("verified", "failed", "unknown"), f"call {number}"
        assert (first == "verified") == (len(small.hands.effects) == 1), f"call {number}"
        assert small.audit_holds()
        if small.hands.effects:
            types = small.types()
            assert types.index("intent") < types.index("outcome"), f"call {number}"
    assert ends["verified"] > calls / 2


@pytest.mark.parametrize(
    ("answers", "state", "effects"),
    [
        (["applied"], "verified", 1),
        (["refused"], "failed", 0),
        (["drifted"], "superseded", 0),
        (["unclear after"], "verified", 1),
        (["unclear before"], "failed", 0),
    ],
)
def test_what_the_cluster_answers(small: Small, answers: list[str], state: str, effects: int) -> None:
    small.hands.answers = [*answers]
    small.approve()
    small.run()
    settle(small)

    assert (small.states()[0], len(small.hands.effects)) == (state, effects)
    if state != "verified":
        assert small.states()[1] != "awaiting"


def test_what_nobody_can_tell_asks_people_and_is_never_sent_again(small: Small) -> None:
    small.hands.answers = ["unclear before"]
    small.hands.is_blind = True
    small.approve()
    small.run()
    settle(small)

    assert (small.states(), small.hands.effects) == (["unknown", "pending"], [])
    assert small.plan().state is PlanState.HALTED
    incident = small.incidents.by_id(small.incident.id)
    assert incident is not None
    assert (incident.state, incident.waiting) == (State.WAITING, "first")


def test_a_cluster_that_cannot_be_read_is_no_failure(small: Small) -> None:
    small.cluster.unreadable = Unknown(UnknownReason.FAILED, "time-out")
    small.approve()
    small.run()
    assert small.states()[0] == "applied"
    small.clock.pass_by(timedelta(minutes=3))
    small.run()
    assert (small.states()[0], small.plan().state) == ("unknown", PlanState.HALTED)
    small.do(small.press(PressKind.RESOLVE, BEN, option="happened", reason="I see the label"))
    assert small.states()[0] == "unknown"
    small.do(small.press(PressKind.RESOLVE, CAI, option="did-not", reason="I do not"))
    assert small.states()[0] == "unknown"
    small.do(small.press(PressKind.RESOLVE, CAI, option="happened", reason="so do I"))

    assert small.states()[0] == "attested"
    said = [one for one in small.thread() if one.startswith("not yet")]
    assert said == ["not yet: repair-resolve-second-needed", "not yet: repair-resolve-differs"]


def test_what_does_not_show_in_time_failed(small: Small) -> None:
    small.hands.on_effect = lambda _: None
    small.approve()
    small.run()
    small.clock.pass_by(timedelta(minutes=3))
    small.run()

    assert small.states() == ["failed", "pending"]


def test_authority_that_ended_between_press_and_run_stops_it(small: Small) -> None:
    small.approve(BEN)
    small.authority.people.discard(BEN)
    small.run()
    small.run()

    assert (small.hands.effects, small.refusals()) == ([], ["repair-voter-may-not"])
    assert small.refused_in_audit() == ["repair-voter-may-not"], "written once"


def test_a_freeze_in_the_cluster_stops_it_too(small: Small) -> None:
    small.approve()
    small.hands.freeze = Freeze(frozen=True, why="kubectl")
    small.run()
    assert (small.hands.effects, small.refusals()) == ([], ["repair-frozen"])
    small.hands.freeze = Freeze(frozen=False)
    small.run()

    assert len(small.hands.effects) == 1


def test_a_precondition_that_no_longer_holds_stops_it(redis_url: str) -> None:
    small = Small(redis_url, precondition=(call("guard"),))
    small.approve()
    small.run()

    assert (small.states()[0], small.hands.effects) == ("superseded", [])
    values = small.plan().step("first").values
    assert (values["why"], values["field"], values["wanted"]) == ("repair-sees-other", "metadata.labels[guard]", "on")


class NoAudit:
    """A journal whose writes fail, from some moment on."""

    def __init__(self, small: Small, works: int) -> None:
        self._journal = small.journal
        self._works = works

    def commit(self, *args: object) -> bool:
        self._works -= 1
        if self._works < 0:
            raise NotWritten("the disk is full")
        return self._journal.commit(*args)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> object:
        return getattr(self._journal, name)


@pytest.mark.parametrize(
    ("works", "effects", "state"), [(0, 0, "verified"), (1, 0, "unknown"), (2, 1, "verified"), (3, 1, "verified")]
)
def test_nothing_runs_before_its_intent_is_written(small: Small, works: int, effects: int, state: str) -> None:
    """The intent and the dispatch are two writes; what comes after them cannot undo the effect.

    What was claimed and not written as dispatched may have been sent, for all that anybody knows who comes after.
    """
    small.approve()
    journal, small.journal = small.journal, NoAudit(small, works)  # type: ignore[assignment]
    small.run(small.replica("unlucky"))
    small.journal = journal
    assert len(small.hands.effects) == effects
    settle(small)

    assert len(small.hands.effects) <= 1
    assert small.states()[0] == state


def test_a_claim_that_is_there_already_means_look_first(small: Small) -> None:
    small.approve()
    exec_id = _exec_id(small)
    small.hands.claims[exec_id] = Holder(owner="somebody")
    small.hands.effects.append(exec_id)
    small.cluster.labels["first"] = "on"
    small.run()

    assert (small.states()[0], small.hands.effects) == ("verified", [exec_id])
    assert "dispatched" not in small.types()


def test_a_claim_of_a_stranger_means_that_the_audit_lost_something_and_stops_everything(small: Small) -> None:
    small.approve()
    small.hands.claims[_exec_id(small)] = Holder(owner="somebody", audit="42:9f3c")
    small.run()

    assert (small.journal.read("").freeze.why, small.states()[0]) == ("repair-audit-gap", "unknown")
    assert small.journal.read("").freeze.since == small.clock.now(), "so that what waits for people is held"
    (gap,) = [one for one in small.journal.entries() if one["type"] == "audit-gap"]
    assert (gap["details.exec_id"], gap["details.expected"]) == (_exec_id(small), "42:9f3c")
    assert any(one.startswith("lost: first") for one in small.thread()), "the thread is told"
    small.clock.pass_by(AFTER_LEASE)
    small.run()
    assert small.hands.effects == []
    assert small.audit_holds()


def _exec_id(small: Small) -> str:
    return exec_id_of(small.plan().id, "first", small.plan().step("first").digest)


def test_a_live_executor_is_left_alone_until_its_lease_is_over(small: Small) -> None:
    small.approve()
    with pytest.raises(Killed):
        small.run(small.replica("dies", Fuse(left=1), names=("act",)))
    small.run(small.replica("heir"))
    assert small.states()[0] == "dispatched"
    small.clock.pass_by(AFTER_LEASE)
    small.run(small.replica("heir"))

    assert small.states()[0] == "failed", "it was never seen to happen, and nobody sends it again"


def test_many_executors_race_for_one_step(redis_url: str) -> None:
    rounds, racers = 8, 3
    for number in range(rounds):
        connect(redis_url).flushall()
        small = Small(redis_url)
        small.approve()
        start = Barrier(racers)
        replicas = [small.replica(f"racer-{number}-{one}") for one in range(racers)]

        def race(index: int, world: Small = small, gate: Barrier = start, all_of: list[object] = replicas) -> None:
            gate.wait()
            world.run(all_of[index])  # type: ignore[arg-type]

        with ThreadPoolExecutor(racers) as pool:
            list(pool.map(race, range(racers)))
        small.run()
        assert (small.states()[0], len(small.hands.effects)) == ("verified", 1)
        assert small.types().count("intent") == 1
        assert [one for one in small.thread() if one.startswith("first: verified")] == [
            "first: verified (repair-verified)"
        ]
