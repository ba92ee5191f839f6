"""An executor is killed (SIGKILL) while it carries out a step; another one comes when its lease is over.

Axes: at which call, before or after it took effect; what the cluster answers to who comes after. The step is done once
or not at all, its outcome is told, and it is never sent again: what was claimed and not written as sent is looked at,
and where nothing is to be seen of it, people are asked.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import timedelta

import pytest

from bot.adapters.redis.client import connect
from bot.app.repair.executor import LEASE
from bot.playground.apiserver.faults import Effect, Fault
from bot.remedy.audit import AuditKey, verify
from bot.remedy.plan import PlanState, PlanStep
from tests.app.repair.watched import KEY
from tests.app.repair.world import ROOT
from tests.support.controlplane import ADMIN
from tests.support.mortal import CALLS, DIES
from tests.support.redis import ONE_REDIS, SetClock
from tests.support.restarting import AGENT, RESTART, WITNESS, approved, executor_of, journal_of, offer
from tests.support.servers import QUICK, ApiServer, Real, Simulated

#: Where it dies, how the step ends, how often it took effect. Reads and the journal's other calls are in between.
POINTS = {
    "the intent is written": ("commit:1:after", "verified", 1),
    "it is claimed": ("send:1:after", "unknown", 0),
    "the dispatch is written": ("commit:2:after", "failed", 0),
    "the dry run is done": ("send:2:after", "failed", 0),
    "the request is about to go": ("send:3:before", "failed", 0),
    "the request is carried out": ("send:3:after", "verified", 1),
    "the outcome is about to be written": ("commit:3:before", "verified", 1),
    "the outcome is written": ("commit:3:after", "verified", 1),
}
FEW = ("it is claimed", "the dispatch is written", "the request is carried out")


class Grave:
    """One approved step, an executor that dies, and whoever comes after."""

    def __init__(self, url: str, server: ApiServer) -> None:
        self.server = server
        self.url = url
        self.clock = SetClock()
        self.api = server.api()
        self.api.add_namespace()
        self.api.create(AGENT)
        self.api.create(WITNESS)
        self.journal = journal_of(url, "lab", self.clock)
        bound = server.hands(patience=QUICK).prepare(RESTART)
        self.exec_id = offer(self.journal, approved("grave", bound, self.clock.now()))
        self.before = self._generation()

    def dies(self, point: str) -> bool:
        """A process of its own begins; whether it came to the point, where it was killed."""
        place = (self.url, str(self.server.kubeconfig(ADMIN)), self.clock.now().isoformat(), "mortal")
        command = (sys.executable, "-m", "tests.support.mortal", *place)
        ran = subprocess.run(
            command, cwd=ROOT, env={**os.environ, DIES: point}, capture_output=True, text=True, check=False
        )
        assert ran.returncode in (0, -signal.SIGKILL), ran.stderr
        self.calls = dict(line.split() for line in ran.stdout.splitlines() if line.split()[0] in CALLS)
        return ran.returncode == -signal.SIGKILL

    def heirs(self, number: int = 3) -> None:
        """Others come, each after every lease has run out."""
        for index in range(number):
            self.clock.pass_by(LEASE + timedelta(seconds=1))
            hands = self.server.hands(patience=QUICK)
            executor_of(self.journal, self.server.cluster(), hands, self.clock, f"heir-{index}").run_once()

    def step(self) -> PlanStep:
        plan = self.journal.read("grave").plan
        assert plan is not None
        return plan.steps[0]

    def effects(self) -> int:
        return self._generation() - self.before

    def audited(self) -> list[str]:
        return [one["type"] for one in self.journal.entries() if one.get("plan") == "grave"]

    def audit_holds(self) -> bool:
        lines, head = self.journal.audit()
        return verify(lines, [AuditKey(KEY)], head) is None

    def _generation(self) -> int:
        return int(self.api.get(AGENT)["metadata"]["generation"])


@pytest.fixture
def grave(redis_url: str, simulated: Simulated) -> Grave:
    return Grave(redis_url, simulated)


def sent(simulated: Simulated, grave: Grave) -> int:
    """How often the change itself was sent, by the server."""
    requests = simulated.server.faults.requests
    return len(
        [
            one
            for one in requests
            if one.verb == "patch" and grave.exec_id in one.user_agent and "dryRun" not in one.query
        ]
    )


@pytest.mark.parametrize("name", FEW)
def test_what_a_killed_executor_left_is_finished_or_asked_and_never_repeated(
    simulated: Simulated, grave: Grave, name: str
) -> None:
    point, state, effects = POINTS[name]
    assert grave.dies(point)
    assert "outcome" not in grave.audited()
    grave.heirs()
    assert (grave.step().state.value, grave.effects(), sent(simulated, grave)) == (state, effects, effects)
    assert grave.audited().count("intent") == grave.audited().count("outcome") == 1
    assert grave.audit_holds()


def test_what_was_sent_though_the_journal_lost_it_is_found(simulated: Simulated, grave: Grave) -> None:
    """The request went out; Redis is as it was before the dispatch was written."""
    assert grave.dies("commit:2:before")
    hands = simulated.hands(patience=QUICK)
    assert hands.act(grave.exec_id, grave.step().action).result == "applied"
    grave.heirs()
    assert (grave.step().state.value, grave.effects(), sent(simulated, grave)) == ("verified", 1, 1)


def test_what_nobody_can_see_any_more_is_unknown_and_never_repeated(simulated: Simulated, grave: Grave) -> None:
    assert grave.dies("send:3:after")
    simulated.server.faults.add(Fault(effect=Effect.ERROR, verb="get", plural="daemonsets"))
    grave.heirs()
    plan = grave.journal.read("grave").plan
    assert plan is not None
    assert (grave.step().state.value, plan.state) == ("unknown", PlanState.HALTED)
    simulated.server.faults.clear()
    grave.heirs()
    assert (grave.step().state.value, grave.effects()) == ("unknown", 1), "people look, not the bot"


def test_the_control_whoever_is_not_killed_does_it(grave: Grave) -> None:
    assert not grave.dies("")
    assert (grave.step().state.value, grave.effects()) == ("verified", 1)
    assert {name: int(grave.calls[name]) for name in ("send", "commit")} == {"send": 3, "commit": 4}


@pytest.mark.real
@ONE_REDIS
@pytest.mark.parametrize("name", POINTS)
def test_the_same_on_a_real_api_server(redis_url: str, real: Real, name: str) -> None:
    point, state, effects = POINTS[name]
    grave = Grave(redis_url, real)
    assert grave.dies(point)
    grave.heirs()
    assert (grave.step().state.value, grave.effects()) == (state, effects)
    sent = [one for one in real.effects(f"x={grave.exec_id}") if one.startswith("patch ")]
    assert len(sent) == effects
    assert grave.audited().count("intent") == grave.audited().count("outcome") == 1


@pytest.mark.real
@ONE_REDIS
@pytest.mark.parametrize("when", ["before", "after"])
def test_wherever_it_is_killed_it_happens_at_most_once_and_is_told(
    redis_url: str, simulated: Simulated, when: str
) -> None:
    counted = Grave(redis_url, simulated)
    assert not counted.dies("")
    points = [f"{call}:{number}:{when}" for call, count in counted.calls.items() for number in range(1, int(count) + 1)]
    assert len(points) >= 15
    ends: set[tuple[str, int]] = set()
    for point in points:
        with connect(redis_url) as client:
            client.flushall()
        simulated.api().wipe()
        grave = Grave(redis_url, simulated)
        assert grave.dies(point), point
        grave.heirs()
        assert grave.audit_holds(), point
        ends.add((grave.step().state.value, grave.effects()))
    assert ends == {("verified", 1), ("failed", 0), ("unknown", 0)}
