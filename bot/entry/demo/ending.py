"""Whether a rehearsal ended as it must. A plan that is through proves little: what it was for is looked at as well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bot.model.objects import Node, condition
from bot.remedy.plan import Plan, PlanState

#: What Karpenter's node repair looks at.
MARK = "AcceleratedHardwareReady"
#: What an option leaves broken that does not touch the marks.
_LEFT = "gpu-condition-false"
#: The step in which the owner of the CUDA job stops it.
_STOPS = "stop-cuda"


class NotRepaired(RuntimeError):
    """The rehearsed repair did not come to its good end; the text says what is wrong."""


def not_through(plan: Plan, broken: str | None) -> Iterator[str]:
    """What is wrong with the repair itself; `broken` is what does not fit in the audit, None where it holds."""
    if plan.state is not PlanState.DONE:
        yield f"plan {plan.id} is {plan.state.value}, {states(plan)}"
    if broken is not None:
        yield f"the audit's chain is broken: {broken}"


def machine_wrong(name: str, nodes: Sequence[Node], machine: Mapping[str, str], plan: Plan) -> Iterator[str]:
    """What is wrong with the node that was to come back, and with the work on its machine.

    That lives, unless its owner was to stop it.
    """
    wanted = "stopped" if plan.find(_STOPS) else "running"
    ready = [_status(one, "Ready") for one in nodes if one.name == name]
    if ready != ["True"]:
        yield f"{name} is not Ready ({', '.join(ready) or 'there is no such node'})"
    if (job := machine.get("cuda", "not there")) != wanted:
        yield f"CUDA job {job}"


def loop_wrong(nodes: Sequence[Node], plan: Plan) -> Iterator[str]:
    """What is wrong with the pool whose nodes were to be left alone, and with what was foretold of it."""
    told = [one.values for one in plan.steps if "predicted" in one.values]
    if not told:
        yield "the last replacements were not counted"
    for values in told:
        if values["predicted"] != values.get("count"):
            yield f"last replacements predicted: {values['predicted']}, seen: {values.get('count', 'not told')}"
    if not nodes:
        yield "the pool has no node"
    for one in nodes:
        if _status(one, MARK) == "False" and _LEFT not in plan.leaves:
            yield f"{one.name} is marked for replacement"


def states(plan: Plan) -> str:
    """The steps with their states, in order."""
    return ", ".join(f"{one.action.step} {one.state.value}" for one in plan.steps)


def _status(node: Node, kind: str) -> str:
    found = condition(node.status.conditions, kind)
    return found.status if found else "not told"
