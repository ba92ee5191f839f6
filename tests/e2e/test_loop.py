"""Incident B: a node that is replaced again and again, while Alertmanager fires for each of its generations."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.playground.physics.karpenter import TOLERATION, Karpenter
from bot.playground.physics.kubelets import Kubelets
from bot.playground.physics.monitor import CONDITION, NodeMonitor
from bot.playground.physics.workloads import Workloads
from tests.support.fastworld import FastWorld
from tests.support.stage import Stage, scenario, staged, words
from tests.support.webhook import alert, group

GENERATIONS = 5


@pytest.fixture
def loop(own_redis: str, tmp_path: Path) -> Iterator[Stage]:
    with staged(own_redis, tmp_path, scenario("replacement-loop")) as stage:
        yield stage


def test_five_generations_are_one_thread_that_counts_five(loop: Stage) -> None:
    world = FastWorld(loop.cluster, (Kubelets(), NodeMonitor(), Karpenter(), Workloads()))
    names: list[str] = []
    while len(names) < GENERATIONS:
        took = world.play_until(lambda: _marked(world, names), timedelta(minutes=20))
        assert len(names) < 2 or took > TOLERATION, "Karpenter lets each of them be for ten minutes"
        names.append(_marked(world, names))
        loop.bot.post("gpu", group(alert(names[-1]), groupKey=f"{{}}:{{node={names[-1]}}}"))
        loop.settle()

    assert len(set(names)) == GENERATIONS
    ts, root, replies = loop.thread()
    (incident,) = loop.incidents()
    assert (incident.count, len(incident.sources), incident.place.thread) == (GENERATIONS, GENERATIONS, ts)
    assert incident.keys[0].endswith("nodepool/gpu")
    assert str(GENERATIONS) in words(root)
    assert "nodepool/gpu" in root["text"][:100]
    assert any(str(GENERATIONS) in one for one in replies[-1:]), "each alert says so in the thread"
    assert loop.bot.log("error") == []


def _marked(world: FastWorld, told: list[str]) -> str:
    """A node of the pool that is marked and that nobody was told of yet."""
    for node in world.nodes():
        conditions = {one["type"]: one["status"] for one in node["status"].get("conditions", ())}
        if conditions.get(CONDITION) == "False" and (name := str(node["metadata"]["name"])) not in told:
            return name
    return ""
