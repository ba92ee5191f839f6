"""A question about one node against one about the whole cluster, on a simulated cluster grown by healthy nodes."""

from __future__ import annotations

import copy
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bot.adapters.files.documents import documents
from bot.adapters.files.dump import DumpCluster
from bot.adapters.files.hosts import GivenTexts
from bot.adapters.files.knowledge import load_knowledge, load_policies
from bot.adapters.kubernetes.cluster import LiveCluster
from bot.app.investigate import Investigator
from bot.checks import CHECKS
from bot.model.refs import CLUSTER, Ref, node
from bot.playground.apiserver.server import SimulatedCluster
from bot.playground.physics.world import WorldClock
from tests.bench.measure import Row, medians

DUMP = Path(__file__).parent.parent / "scenarios" / "swap-kubelet" / "dump"
NODES = 200
PODS_A_NODE = 20


def rows() -> list[Row]:
    """Both questions go to the same server, whose own work is in both figures."""
    newest = DumpCluster(DUMP, "bench").newest()
    assert newest is not None
    clock = WorldClock(newest.at, 0.0, time.monotonic)
    with TemporaryDirectory() as folder, SimulatedCluster(clock, name="bench") as simulated:
        simulated.load(_world())
        cluster = LiveCluster.connect(simulated.write_kubeconfig(Path(folder) / "kubeconfig"), name="bench")
        investigator = Investigator(
            cluster=cluster,
            hosts=GivenTexts(()),
            clock=clock,
            checks=CHECKS,
            knowledge=load_knowledge(),
            repair_policies=load_policies(),
        )

        def ask(scope: Ref) -> None:
            roots = investigator.investigate((scope,)).diagnosis.roots
            assert roots[0].finding.subject == node("omen2")

        found = medians({"scoped": lambda: ask(node("omen2")), "full": lambda: ask(CLUSTER)})
    what = f"diagnose node/omen2 of {NODES} nodes, {NODES * PODS_A_NODE} pods"
    return [Row(what, found["scoped"], "the whole cluster", found["full"])]


def _world() -> list[dict[str, Any]]:
    things = [one.item for path in sorted(DUMP.glob("*.yaml")) for one in documents(path) if one.item]
    by_name = {(one["kind"], one["metadata"]["name"]): one for one in things}
    healthy = next(
        one
        for (kind, name), one in by_name.items()
        if kind == "Node" and any(c["type"] == "Ready" and c["status"] == "True" for c in one["status"]["conditions"])
    )
    lease = by_name["Lease", healthy["metadata"]["name"]]
    pod = next(one for one in things if one["kind"] == "Pod" and one["status"]["phase"] == "Running")
    for number in range(NODES):
        name = f"filler-{number}"
        things += [_renamed(healthy, name), _renamed(lease, name)]
        for place in range(PODS_A_NODE):
            filler = _renamed(pod, f"{name}-{place}", namespace="filler")
            filler["spec"]["nodeName"] = name
            filler["metadata"].pop("deletionTimestamp", None)
            things.append(filler)
    return things


def _renamed(thing: dict[str, Any], name: str, **more: str) -> dict[str, Any]:
    fresh = copy.deepcopy(thing)
    fresh["metadata"].pop("uid", None)
    fresh["metadata"].update({"name": name, **more})
    return fresh
