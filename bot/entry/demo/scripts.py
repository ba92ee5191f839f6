"""The two outages, as scripts for the stage. Each script says what happens; what the bot says is the bot's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta

from bot.entry.demo.ending import MARK, NotRepaired, loop_wrong, machine_wrong
from bot.entry.demo.repair import Crew, repair
from bot.entry.demo.stage import Stage
from bot.model.objects import Node, NodeClaim, condition
from bot.model.sections import Section

#: World seconds per wall second: ten minutes of toleration pass in two and a half seconds.
LOOP_SPEED = 240.0
#: Two minutes of being Ready pass in six seconds.
SWAP_SPEED = 20.0
#: While people choose and approve: nobody reads a card within two and a half seconds.
_UNHURRIED = 1.0
#: A quarter of the toleration of ten minutes.
_FRESH = timedelta(minutes=2.5)
_GENERATIONS = 2
_PATIENCE = 60.0


def swap_kubelet(crew: Crew, journal: str) -> None:
    """One swap line on one host, and a GPU VM that has been down for 112 days.

    Raises:
        NotRepaired: the node is not Ready at the end, or the work on its machine did not live through the repair.
        Stopped: the person in front of the terminal ended it.
    """
    stage = crew.stage
    stage.tell("Alertmanager: KubeNodeNotReady for omen2. The bot looks, and answers in the alert's channel.")
    stage.alert({"alertname": "KubeNodeNotReady", "node": "omen2", "severity": "critical"}, "omen2 is not ready")
    stage.asker.go_on("The kubelet's journal is on the host, where the bot cannot look. Press Enter to paste it ")
    stage.tell("U0ONCALL pastes `journalctl -u kubelet` of omen2 into the thread. The answer sharpens.")
    stage.paste(f"root@omen2:~# journalctl -u kubelet -b -n 50\n{journal}")
    carried = repair(crew, "host-cuda")
    machine = crew.machine()
    stage.tell("On omen2: kubelet {kubelet}, driver {driver}, CUDA job {cuda}".format_map(machine))
    _end(stage, "omen2 is Ready", [*carried.wrong, *machine_wrong("omen2", _nodes(stage), machine, carried.plan)])


def replacement_loop(crew: Crew, _journal: str) -> None:
    """Karpenter replaces a GPU node every ten minutes, because its monitor cannot start DCGM.

    Raises:
        NotRepaired: a node is marked at the end, or more or fewer were replaced than was predicted.
        Stopped: the person in front of the terminal ended it.
    """
    stage = crew.stage
    stage.tell(f"World time runs {LOOP_SPEED:.0f} times as fast as yours. Alertmanager: GPUNodeUnhealthy.")
    node = _pooled(stage)[-1]
    stage.alert(_gpu_alert(node.name), f"GPU of {node.name} is unhealthy")
    stage.asker.go_on("Press Enter to watch the announced deletion come ")
    for number in range(1, _GENERATIONS + 1):
        node = _next_generation(stage, node)
        if number == _GENERATIONS:
            crew.pace(_UNHURRIED)
            stage.tell(
                f"{node.name} has just been marked, which leaves ten minutes until its deletion. World time runs like "
                "yours from here until the monitor is restarted, so that choice and approvals fall before it."
            )
        stage.alert(_gpu_alert(node.name), f"GPU of {node.name} is unhealthy")
    carried = repair(crew, "without-gpu-monitor", watched=lambda: _hurry(crew))
    _end(stage, "the loop is over", [*carried.wrong, *loop_wrong(_pooled(stage), carried.plan)])


def _end(stage: Stage, good: str, wrong: Iterable[str]) -> None:
    if found := "; ".join(wrong):
        raise NotRepaired(f"the demo did not end as it should: {found}")
    stage.tell(f"Repaired: the plan is done, its audit holds, {good}.")


def _hurry(crew: Crew) -> None:
    crew.stage.tell(f"World time runs {LOOP_SPEED:.0f} times as fast as yours again.")
    crew.pace(LOOP_SPEED)


def _next_generation(stage: Stage, old: Node) -> Node:
    stage.tell(f"{stage.now():%H:%M:%S} world time: waiting for Karpenter to replace {old.name} ...")
    found: list[Node] = []

    def replaced() -> bool:
        # Between the old node and its successor there may be none.
        found[:] = [one for one in _pooled(stage)[-1:] if one.name != old.name and _freshly_marked(one, stage.now())]
        return bool(found)

    if not stage.wait_until(replaced, _PATIENCE):
        raise NotRepaired(f"the rehearsed cluster did not replace {old.name} within {_PATIENCE:.0f} s")
    (new,) = found
    claims = [one.name for one in stage.objects(Section.NODECLAIMS) if isinstance(one, NodeClaim)]
    stage.tell(
        f"{stage.now():%H:%M:%S} world time: {old.name} is gone, {new.name} ({', '.join(claims)}) is marked too. "
        "Alertmanager fires again, with a new node name."
    )
    return new


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
