"""The two outages, as scripts for the stage. Each script says what happens; what the bot says is the bot's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta

from bot.entry.demo.ending import MARK, NotRepaired, loop_wrong, machine_wrong
from bot.entry.demo.repair import Crew, repair
from bot.entry.demo.stage import REPORTER, Stage
from bot.model.objects import Node, NodeClaim, condition
from bot.model.sections import Section

#: World seconds per wall second: ten minutes of toleration pass in two and a half seconds.
LOOP_SPEED = 240.0
_TIMES = round(LOOP_SPEED)
#: Two minutes of being Ready pass in six seconds.
SWAP_SPEED = 20.0
#: While people choose and approve: nobody reads a card within two and a half seconds.
_UNHURRIED = 1.0
#: A quarter of the toleration of ten minutes.
_FRESH = timedelta(minutes=2.5)
_GENERATIONS = 2
#: Whose swap came back.
_NODE = "omen2"
_PATIENCE = 60


def swap_kubelet(crew: Crew, journal: str) -> None:
    """One swap line on one host, and a GPU VM that has been down for 112 days.

    Raises:
        NotRepaired: the node is not Ready at the end, or the work on its machine did not live through the repair.
        Stopped: the person in front of the terminal ended it.
    """
    stage = crew.stage
    stage.tell("demo-swap-alert", node=_NODE)
    stage.alert({"alertname": "KubeNodeNotReady", "node": _NODE, "severity": "critical"})
    stage.ask("demo-swap-ask")
    stage.tell("demo-swap-paste", who=REPORTER, node=_NODE)
    stage.paste(f"root@{_NODE}:~# journalctl -u kubelet -b -n 50\n{journal}")
    carried = repair(crew, "host-cuda")
    machine = crew.machine()
    kubelet, job = (f"demo-machine-{machine[one]}" for one in ("kubelet", "cuda"))
    stage.tell("demo-machine", node=_NODE, kubelet=kubelet, driver=machine["driver"], job=job)
    wrong = machine_wrong(_NODE, _nodes(stage), machine, carried.plan, stage.words)
    _end(stage, f"demo-node-ready {_NODE}", [*carried.wrong, *wrong])


def replacement_loop(crew: Crew, _journal: str) -> None:
    """Karpenter replaces a GPU node every ten minutes, because its monitor cannot start DCGM.

    Raises:
        NotRepaired: a node is marked at the end, or more or fewer were replaced than was predicted.
        Stopped: the person in front of the terminal ended it.
    """
    stage = crew.stage
    stage.tell("demo-loop-alert", speed=_TIMES)
    node = _pooled(stage)[-1]
    stage.alert(_gpu_alert(node.name))
    stage.ask("demo-loop-ask")
    for number in range(1, _GENERATIONS + 1):
        node = _next_generation(stage, node)
        if number == _GENERATIONS:
            crew.pace(_UNHURRIED)
            stage.tell("demo-loop-unhurried", node=node.name)
        stage.alert(_gpu_alert(node.name))
    carried = repair(crew, "without-gpu-monitor", watched=lambda: _hurry(crew))
    _end(stage, "demo-loop-over", [*carried.wrong, *loop_wrong(_pooled(stage), carried.plan, stage.words)])


def _end(stage: Stage, good: str, wrong: Iterable[str]) -> None:
    if found := "; ".join(wrong):
        raise NotRepaired(stage.said("demo-not-repaired", wrong=found))
    stage.tell("demo-repaired", good=good)


def _hurry(crew: Crew) -> None:
    crew.stage.tell("demo-loop-hurries", speed=_TIMES)
    crew.pace(LOOP_SPEED)


def _next_generation(stage: Stage, old: Node) -> Node:
    stage.tell("demo-loop-waits", time=_time(stage), node=old.name)
    found: list[Node] = []

    def replaced() -> bool:
        # Between the old node and its successor there may be none.
        found[:] = [one for one in _pooled(stage)[-1:] if one.name != old.name and _freshly_marked(one, stage.now())]
        return bool(found)

    if not stage.wait_until(replaced, _PATIENCE):
        raise NotRepaired(stage.said("demo-loop-stuck", node=old.name, seconds=_PATIENCE))
    (new,) = found
    claims = [one.name for one in stage.objects(Section.NODECLAIMS) if isinstance(one, NodeClaim)]
    stage.tell("demo-loop-replaced", time=_time(stage), old=old.name, new=new.name, claims=", ".join(claims))
    return new


def _time(stage: Stage) -> str:
    return f"{stage.now():%H:%M:%S}"


def _pooled(stage: Stage) -> list[Node]:
    """The nodes of Karpenter's pools, the youngest last."""
    pooled = [one for one in _nodes(stage) if "karpenter.sh/nodepool" in one.metadata.labels]
    return sorted(pooled, key=lambda one: str(one.metadata.creation_timestamp))


def _nodes(stage: Stage) -> list[Node]:
    return [one for one in stage.objects(Section.NODES) if isinstance(one, Node)]


def _freshly_marked(node: Node, now: datetime) -> bool:
    """Whether most of the toleration is still to come: what is decided now is decided before the deletion."""
    found = condition(node.status.conditions, MARK)
    if found is None or found.status != "False" or found.last_transition_time is None:
        return False
    return now - found.last_transition_time < _FRESH


def _gpu_alert(node: str) -> dict[str, str]:
    return {"alertname": "GPUNodeUnhealthy", "node": node, "severity": "warning"}


#: The option of each scenario with a step that takes two people.
TWO_PEOPLE: Mapping[str, str] = {"swap-kubelet": "vms", "replacement-loop": "without-gpu-monitor-cleared"}
#: What each scenario plays, and how fast the world runs.
SCRIPTS: Mapping[str, tuple[Callable[[Crew, str], None], float]] = {
    "swap-kubelet": (swap_kubelet, SWAP_SPEED),
    "replacement-loop": (replacement_loop, LOOP_SPEED),
}
