"""Incident B by its ways out, with Karpenter and the monitor moved by hand.

Axes: the option; whether the deletion of a marked node runs when people choose; whether the owner's change helps; a
second marked node, which Karpenter's breaker holds back.
What was predicted on the card is compared with what happened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from bot.adapters.files.knowledge import load_policies
from bot.adapters.redis.embedded import EmbeddedServer
from bot.app.looking import look
from bot.app.repair.together import Repairs
from bot.model.diagnosis import Verdict
from bot.model.refs import Ref
from bot.playground.apiserver.faults import Effect, Fault
from bot.playground.apiserver.server import SimulatedCluster
from bot.playground.physics.addon import nvidia_monitor_off, upgraded
from bot.playground.physics.api import NODECLAIMS, NODES, Api
from bot.playground.physics.karpenter import TOLERATION, Karpenter
from bot.playground.physics.kubelets import Kubelets
from bot.playground.physics.monitor import CONDITION, NodeMonitor
from bot.playground.physics.rollouts import Rollouts
from bot.playground.physics.workloads import Workloads
from bot.remedy.decision import Policy
from bot.remedy.owners import OwnerKind
from bot.remedy.plan import PlanState, StepState
from bot.remedy.runbook import Verb
from tests.app.repair.world import ROOT, RepairWorld
from tests.support import worldtime
from tests.support.controlplane import ADMIN, NOBODY
from tests.support.redis import SetClock, binary
from tests.support.repair import BEN, CAI
from tests.support.servers import Simulated

pytestmark = pytest.mark.real
DUMP = ROOT / "tests/scenarios/replacement-loop/dump"
_TICK = timedelta(seconds=10)
_POOL = "karpenter.sh/nodepool"


class Loop(RepairWorld):
    """A GPU node that is replaced every ten minutes; the monitor is an add-on, whose owner makes the changes."""

    repair_policies = load_policies("aws")

    def __init__(self, url: str, simulated: Simulated, clock: SetClock) -> None:
        self.physics = Api(simulated.server.kubeconfig())
        self._controllers = (Kubelets(frozenset()), NodeMonitor(), Karpenter(), Workloads(), Rollouts())
        simulated.api().add_namespace()
        hands = simulated.hands()
        self._configmaps = hands.configmaps
        self.faults = simulated.server.faults
        super().__init__(url, simulated.cluster(), hands=hands, policy=Policy(mutations=True), world=clock)
        self.owners.kinds["eks_node_monitoring_agent"] = OwnerKind.EKS_ADDON
        self.passes(_TICK)

    def passes(self, time: timedelta, tick: timedelta = _TICK) -> None:
        """World time passes, and everybody but the bot acts in it."""
        ends = self.clock.now() + time
        while self.clock.now() < ends:
            self.clock.pass_by(tick)
            for one in self._controllers:
                one.step(self.physics, self.clock.now())

    def marked(self) -> list[str]:
        """The nodes that Karpenter would replace."""
        return [
            one["metadata"]["name"]
            for one in self.physics.list(NODES)
            for each in one["status"]["conditions"]
            if (each["type"], each["status"]) == (CONDITION, "False")
        ]

    def due(self) -> datetime:
        """When the node that was marked first is replaced."""
        marks = [each for one in self.physics.list(NODES) for each in one["status"]["conditions"]]
        bad = [one["lastTransitionTime"] for one in marks if (one["type"], one["status"]) == (CONDITION, "False")]
        return datetime.fromisoformat(min(bad)) + TOLERATION

    def machines(self) -> set[str]:
        """Every machine that there is."""
        return {one["metadata"]["name"] for one in self.physics.list(NODECLAIMS)}

    def joins(self) -> None:
        """A second machine like the first one joins the pool; the monitor has not marked it yet."""
        names = {NODECLAIMS: "gpu-bbbbb", NODES: "ip-10-0-42-200.eu-west-1.compute.internal"}
        for path, name in names.items():
            one = next(each for each in self.physics.list(path) if _POOL in each["metadata"].get("labels", {}))
            meta = {"name": name, "labels": {**one["metadata"]["labels"], "kubernetes.io/hostname": names[NODES]}}
            status = {**one["status"], "nodeName": names[NODES]} if path == NODECLAIMS else one["status"]
            unmarked = [each for each in status["conditions"] if each["type"] != CONDITION]
            self.physics.create(path, {"metadata": meta, "spec": one["spec"]})
            self.physics.patch(f"{path}/{name}/status", {"status": {**status, "conditions": unmarked}})

    def is_going(self) -> bool:
        """Whether a deletion runs."""
        return any("deletionTimestamp" in one["metadata"] for one in self.physics.list(NODECLAIMS))

    def replica(self, name: str, **changes: object) -> Repairs:
        return super().replica(name, configmaps=self._configmaps, **changes)

    def carry_out(self, changes: Callable[[Api], None]) -> None:
        """Two people approve what waits, the owner makes the change that is handed over, until the bot only watches."""
        for one in self.plan().steps:
            if one.action.verb is Verb.OBSERVE:
                return
            name = one.action.step
            if one.action.verb is Verb.HAND_OVER:
                changes(self.physics)
            for who in (BEN, CAI):
                if one.action.verb is not Verb.HAND_OVER and self.step(name).state is StepState.AWAITING:
                    self.approve(name, who)
            self.run(rounds=2, seconds=0)
            self.passes(_TICK)
            self.run(rounds=1, seconds=0)
            assert self.states()[name] == "verified", (name, self.step(name).why, self.step(name).values)


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[Loop]:
    things = worldtime.objects(DUMP)
    clock = SetClock(worldtime.newest(things))
    users = {ADMIN: ADMIN, NOBODY: NOBODY}
    with EmbeddedServer(binary("embedded")) as redis, SimulatedCluster(clock, users=users) as server:
        server.load(things)
        simulated = Simulated(server, tmp_path)
        yield Loop(redis.url, simulated, clock)
        simulated.close()


@pytest.mark.parametrize(
    ("option", "changes"),
    [
        ("repair-dcgm", partial(upgraded, version="v1.7.0-eksbuild.1")),
        ("without-gpu-monitor-cleared", nvidia_monitor_off),
    ],
)
@pytest.mark.parametrize("deletion_runs", [False, True])
def test_a_marked_node_is_spared_unless_its_deletion_runs_as_predicted(
    loop: Loop, option: str, changes: Callable[[Api], None], deletion_runs: bool
) -> None:
    while loop.is_going() is not deletion_runs:
        loop.passes(_TICK)
    (marked,), before = loop.marked(), loop.machines()
    loop.fire(marked)
    plan = loop.choose(option)
    assert plan.predicted == {"last-replacements": 0, **({"running-replacements": 1} if deletion_runs else {})}

    loop.carry_out(changes)
    loop.passes(timedelta(minutes=70), 6 * _TICK)
    loop.run()

    assert loop.plan().state is PlanState.DONE
    seen = loop.step("loop-ended").values
    assert (seen["predicted"], seen["count"]) == ("0", "0"), "counted are those that begin after the fix"
    assert len(loop.machines() - before) == int(deletion_runs)
    assert loop.marked() == []
    assert loop.audit_holds()


def test_a_second_node_that_the_breaker_holds_back_goes_once_the_first_is_gone(loop: Loop) -> None:
    """Two of two are unhealthy while the first goes, one of two afterwards."""
    (first,), before = loop.marked(), loop.machines()
    loop.passes(loop.due() - timedelta(seconds=30) - loop.clock.now())
    loop.joins()
    while len(loop.marked()) < 2:
        loop.passes(_TICK)
    assert loop.is_going()
    loop.fire(first)
    plan = loop.choose("without-gpu-monitor")
    assert plan.predicted == {"last-replacements": 1, "waiting-replacements": 1, "running-replacements": 1}

    loop.carry_out(nvidia_monitor_off)
    loop.passes(timedelta(minutes=70), 6 * _TICK)
    loop.run()

    assert loop.plan().state is PlanState.DONE
    seen = loop.step("loop-ended").values
    assert (seen["predicted"], seen["count"]) == ("1", "1")
    assert len(loop.machines() - before - {"gpu-bbbbb"}) == 2
    assert loop.marked() == []


def test_two_of_two_are_held_back_for_good_and_said_to_be(loop: Loop) -> None:
    loop.joins()
    while len(loop.marked()) < 2:
        loop.passes(_TICK)
    before = loop.machines()
    loop.fire(loop.marked()[0])
    plan = loop.choose("without-gpu-monitor")
    assert plan.predicted == {"last-replacements": 0, "stuck-nodes": 2}

    loop.carry_out(nvidia_monitor_off)
    loop.passes(timedelta(minutes=70), 6 * _TICK)
    loop.run()

    assert loop.plan().state is PlanState.DONE
    seen = loop.step("loop-ended").values
    assert (seen["predicted"], seen["count"]) == ("0", "0")
    assert loop.machines() == before
    assert len(loop.marked()) == 2


@pytest.mark.parametrize(
    ("forbidden", "verdict"), [("", Verdict.HEALTHY), ("nodes", Verdict.UNKNOWN), ("events", Verdict.UNKNOWN)]
)
def test_a_node_that_was_replaced_is_nothing_that_could_not_be_looked_at(
    loop: Loop, forbidden: str, verdict: Verdict
) -> None:
    (marked,) = loop.marked()
    incident = loop.fire(marked)
    loop.choose("without-gpu-monitor")
    loop.carry_out(nvidia_monitor_off)
    loop.passes(timedelta(minutes=50), 6 * _TICK)
    assert incident.scope == (Ref("node", marked),)
    assert loop.marked() == []

    if forbidden:
        loop.faults.add(Fault(effect=Effect.FORBIDDEN, plural=forbidden))
    _, seen = look(loop.investigator, incident.scope)
    assert seen.verdict is verdict
    assert any(one.required for one in seen.blind) is bool(forbidden)


def test_the_control_an_upgrade_that_does_not_help_is_not_what_was_predicted(loop: Loop) -> None:
    """An agent that still looks for DCGM: the loop goes on, and the plan does not end."""
    (marked,), before = loop.marked(), loop.machines()
    loop.fire(marked)
    plan = loop.choose("repair-dcgm")
    assert plan.predicted == {"last-replacements": 0}
    loop.carry_out(partial(upgraded, version="v1.5.0-eksbuild.1"))
    loop.passes(timedelta(minutes=70), 6 * _TICK)
    loop.run()
    assert loop.machines() != before
    assert loop.states()["loop-ended"] == "awaiting"
