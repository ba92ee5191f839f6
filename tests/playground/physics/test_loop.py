"""Incident B has consequences: what the runbook changes ends the loop, in its time, and nothing else does."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bot.adapters.files.documents import documents
from bot.adapters.files.dump import DumpCluster
from bot.playground.apiserver.server import SimulatedCluster
from bot.playground.physics.api import LEASES, NODECLAIMS, NODES, PODS, Api
from bot.playground.physics.karpenter import DEPLOYMENT, TOLERATION, Karpenter
from bot.playground.physics.kubelets import Kubelets
from bot.playground.physics.monitor import CONDITION, DAEMONSET, NodeMonitor
from bot.playground.physics.rollouts import Rollouts
from bot.playground.physics.workloads import Workloads
from bot.playground.physics.world import micro_time
from tests.support.redis import SetClock

DUMP = Path(__file__).parent.parent.parent / "scenarios" / "replacement-loop" / "dump"
CONFIG = "/api/v1/namespaces/kube-system/configmaps"


class Loop:
    """The loop, moved by hand, ten seconds at a time."""

    def __init__(self, api: Api, clock: SetClock) -> None:
        self.api = api
        self.clock = clock
        self.controllers = (NodeMonitor(), Karpenter(), Workloads(), Rollouts())

    def replacements(self, tolerations: float) -> int:
        """How many NodeClaims are new after so many tolerations."""
        known = self.claims()
        seen: set[str] = set()
        for _ in range(int(tolerations * TOLERATION / timedelta(seconds=10))):
            self.clock.at += timedelta(seconds=10)
            for controller in self.controllers:
                controller.step(self.api, self.clock.at)
            seen |= self.claims()
        return len(seen - known)

    def claims(self) -> set[str]:
        return {one["metadata"]["name"] for one in self.api.list(NODECLAIMS)}

    def nodes(self) -> set[str]:
        return {one["metadata"]["name"] for one in self.api.list(NODES)}

    def bound(self) -> set[str]:
        """The nodes that Leases and pods tell of."""
        pods = {one["spec"].get("nodeName", "") for one in self.api.list(PODS)} - {""}
        return pods | {one["metadata"]["name"] for one in self.api.list(LEASES)}

    def monitor_off(self) -> None:
        configured = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "nma"}}
        self.api.create(CONFIG, {**configured, "data": {"config.yaml": "monitors:\n  nvidia:\n    enabled: false\n"}})
        volumes = [{"name": "config", "configMap": {"name": "nma"}}]
        self.api.patch(DAEMONSET, {"spec": {"template": {"spec": {"volumes": volumes}}}})

    def marks(self) -> list[str]:
        return [c["status"] for n in self.api.list(NODES) for c in n["status"]["conditions"] if c["type"] == CONDITION]


@pytest.fixture
def loop() -> Iterator[Loop]:
    newest = DumpCluster(DUMP, "loop").newest()
    assert newest is not None
    clock = SetClock(datetime.fromtimestamp(newest.at.timestamp(), newest.at.tzinfo))
    with SimulatedCluster(clock) as simulated:
        simulated.load(one.item for path in sorted(DUMP.glob("*.yaml")) for one in documents(path) if one.item)
        yield Loop(Api(simulated.kubeconfig()), clock)


def test_left_alone_it_goes_on(loop: Loop) -> None:
    assert loop.replacements(7) >= 5


def test_a_node_that_is_gone_leaves_neither_lease_nor_pods(loop: Loop) -> None:
    assert loop.bound() <= loop.nodes()
    assert loop.replacements(2) >= 1
    assert loop.bound() <= loop.nodes()


def test_the_monitor_off_costs_one_last_replacement(loop: Loop) -> None:
    loop.replacements(0.1)
    loop.monitor_off()
    assert loop.marks() == ["False"], "the condition does not clear by itself"
    assert loop.replacements(2) == 1
    assert loop.replacements(5) == 0
    assert loop.marks() == []


def test_a_restart_alone_buys_one_toleration(loop: Loop) -> None:
    loop.replacements(0.1)
    loop.api.patch(DAEMONSET, {"spec": {"template": {"metadata": {"annotations": {"restarted": "now"}}}}})
    assert loop.replacements(0.05) == 0
    assert loop.marks() == ["True"]
    assert loop.replacements(3) >= 1


def test_without_the_gate_nothing_is_replaced(loop: Loop) -> None:
    deployment = loop.api.get(DEPLOYMENT)
    assert deployment is not None
    containers = deployment["spec"]["template"]["spec"]["containers"]
    for env in containers[0]["env"]:
        if env["name"] == "FEATURE_GATES":
            env["value"] = env["value"].replace("NodeRepair=true", "NodeRepair=false")
    loop.api.patch(DEPLOYMENT, {"spec": {"template": {"spec": {"containers": containers}}}})
    assert loop.replacements(5) == 0
    assert loop.marks() == ["False"]


def test_a_node_that_is_drained_renews_its_lease_until_its_machine_ends(loop: Loop) -> None:
    """Whoever looks meanwhile finds no node that is Ready beside a Lease that ran out."""
    while not (drained := [one for one in loop.api.list(NODES) if "deletionTimestamp" in one["metadata"]]):
        loop.replacements(1 / 60)
    Kubelets().step(loop.api, loop.clock.at)
    lease = loop.api.get(f"{LEASES}/{drained[0]['metadata']['name']}")
    assert lease is not None
    assert lease["spec"]["renewTime"] == micro_time(loop.clock.at)
