"""Whether a rehearsal ended as it must. A plan that is through proves little: what it was for is looked at as well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bot.knowledge.words import Words
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


def not_through(plan: Plan, broken: str | None, words: Words) -> Iterator[str]:
    """What is wrong with the repair itself; `broken` is what does not fit in the audit, None where it holds."""
    if plan.state is not PlanState.DONE:
        state = words.reason(f"demo-state-{plan.state.value}")
        yield words.told("demo-not-through", plan=plan.id, state=state, steps=states(plan))
    if broken is not None:
        yield words.told("demo-audit-broken", why=broken)


def machine_wrong(
    name: str, nodes: Sequence[Node], machine: Mapping[str, str], plan: Plan, words: Words
) -> Iterator[str]:
    """What is wrong with the node that was to come back, and with the work on its machine.

    That lives, unless its owner was to stop it.
    """
    wanted = "stopped" if plan.find(_STOPS) else "running"
    ready = [_status(one, "Ready") or words.reason("demo-not-told") for one in nodes if one.name == name]
    if ready != ["True"]:
        status = ", ".join(ready) or words.reason("demo-no-such-node")
        yield words.told("demo-not-ready", node=name, status=status)
    if (job := machine.get("cuda", "missing")) != wanted:
        yield words.told("demo-job-wrong", job=words.reason(f"demo-machine-{job}"))


def loop_wrong(nodes: Sequence[Node], plan: Plan, words: Words) -> Iterator[str]:
    """What is wrong with the pool whose nodes were to be left alone, and with what was foretold of it."""
    told = [one.values for one in plan.steps if "predicted" in one.values]
    if not told:
        yield words.reason("demo-not-counted")
    for values in told:
        if values["predicted"] != values.get("count"):
            seen = values.get("count") or words.reason("demo-not-told")
            yield words.told("demo-counted-wrong", predicted=values["predicted"], seen=seen)
    if not nodes:
        yield words.reason("demo-pool-empty")
    for one in nodes:
        if _status(one, MARK) == "False" and _LEFT not in plan.leaves:
            yield words.told("demo-still-marked", node=one.name)


def states(plan: Plan) -> str:
    """The steps with their states, in order."""
    return ", ".join(f"{one.action.step} {one.state.value}" for one in plan.steps)


def _status(node: Node, kind: str) -> str:
    """Empty where the node does not say."""
    found = condition(node.status.conditions, kind)
    return found.status if found else ""
