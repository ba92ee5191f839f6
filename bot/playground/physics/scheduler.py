"""kube-scheduler, as far as the lab needs it: it binds what waits to a node that takes it, and says why none does.

A node is asked about cordon, taints, node selector, required node affinity and extended resources, in the order of
the real one's filters. cpu, memory and priorities are not weighed. The words are those up to Kubernetes 1.35.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from bot.playground.physics.api import NODES, PODS, Api, Object, path_of
from bot.playground.physics.world import rfc3339

_BLOCKS = ("NoSchedule", "NoExecute")
#: What the node lifecycle controller puts on a node that is not Ready.
_NOT_READY = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
_OVER = ("Succeeded", "Failed")
#: Operators of node affinity, given the label's value (None: no such label) and the values of the requirement.
_OPERATORS: dict[str, Callable[[str | None, Sequence[str]], bool]] = {
    "In": lambda value, wanted: value in wanted,
    "NotIn": lambda value, wanted: value not in wanted,
    "Exists": lambda value, _wanted: value is not None,
    "DoesNotExist": lambda value, _wanted: value is None,
}


class Scheduler:
    """The default scheduler. Among several nodes the first in the list is taken: a rehearsal is repeatable."""

    def step(self, api: Api, now: datetime) -> None:
        """Look once at every pod that waits.

        Raises:
            Refused: the server answered with an error.
            KeyError: a pod's node affinity has an operator that is not known here.
        """
        pods = api.list(PODS)
        waiting = [pod for pod in pods if _waits(pod)]
        nodes = api.list(NODES) if waiting else []
        for pod in waiting:
            refusals = {node["metadata"]["name"]: list(_refusals(pod, node, pods)) for node in nodes}
            place = next((name for name, reasons in refusals.items() if not reasons), None)
            if place is None:
                _tell(api, pod, _message(list(refusals.values())), now)
            else:
                _bind(api, pod, place)
                # The next pod of this round finds the node's devices taken.
                pod["spec"]["nodeName"] = place


def _waits(pod: Object) -> bool:
    meta, spec = pod["metadata"], pod["spec"]
    return not (
        spec.get("nodeName")
        or spec.get("schedulingGates")
        or "deletionTimestamp" in meta
        or pod["status"].get("phase") in _OVER
    )


def _refusals(pod: Object, node: Object, pods: Sequence[Object]) -> Iterable[str]:
    """Why the node cannot take the pod: what the first filter says that refuses it; nothing where it can."""
    if node["spec"].get("unschedulable"):
        return ["node(s) were unschedulable"]
    taint = next((one for one in _taints(node) if not _tolerated(one, pod)), None)
    if taint is not None:
        return [f"node(s) had untolerated taint {{{taint['key']}: {taint.get('value', '')}}}"]
    if not _selected(pod, node):
        return ["node(s) didn't match Pod's node affinity/selector"]
    offered = node["status"].get("allocatable", {})
    held: Counter[str] = Counter()
    for other in pods:
        if other["spec"].get("nodeName") == node["metadata"]["name"] and other["status"].get("phase") not in _OVER:
            held += _devices(other)
    asked = _devices(pod).items()
    return [f"Insufficient {name}" for name, count in asked if held[name] + count > _whole(offered.get(name, "0"))]


def _taints(node: Object) -> list[Object]:
    ready = any(one["type"] == "Ready" and one["status"] == "True" for one in node["status"].get("conditions", ()))
    taints = [*node["spec"].get("taints", ()), *([] if ready else [_NOT_READY])]
    return [one for one in taints if one["effect"] in _BLOCKS]


def _tolerated(taint: Object, pod: Object) -> bool:
    return any(
        one.get("effect", taint["effect"]) == taint["effect"]
        and one.get("key", taint["key"]) == taint["key"]
        and (one.get("operator") == "Exists" or one.get("value", "") == taint.get("value", ""))
        for one in pod["spec"].get("tolerations", ())
    )


def _selected(pod: Object, node: Object) -> bool:
    labels = node["metadata"].get("labels", {})
    if not all(labels.get(key) == value for key, value in pod["spec"].get("nodeSelector", {}).items()):
        return False
    affinity: Any = pod["spec"].get("affinity", {}).get("nodeAffinity", {})
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    fields = {"metadata.name": node["metadata"]["name"]}
    return required is None or any(
        _meets(one.get("matchExpressions", ()), labels) and _meets(one.get("matchFields", ()), fields)
        for one in required["nodeSelectorTerms"]
    )


def _meets(requirements: Iterable[Object], values: dict[str, str]) -> bool:
    return all(_OPERATORS[one["operator"]](values.get(one["key"]), one.get("values", ())) for one in requirements)


def _devices(pod: Object) -> Counter[str]:
    """What it asks for of extended resources; where only a limit stands, the limit is the request."""
    found: Counter[str] = Counter()
    for container in pod["spec"]["containers"]:
        resources = container.get("resources", {})
        asked = {**resources.get("limits", {}), **resources.get("requests", {})}
        found.update({name: _whole(count) for name, count in asked.items() if "/" in name})
    return found


def _whole(quantity: str) -> int:
    """A number of devices: they come whole, and in thousands (`1k`)."""
    return int(quantity.removesuffix("k")) * (1000 if quantity.endswith("k") else 1)


def _message(refusals: Sequence[Sequence[str]]) -> str:
    """The scheduler's own words: each reason with its nodes, and that nothing is gained by ending other pods."""
    total = f"0/{len(refusals)} nodes are available"
    reasons = _counted(one for reasons in refusals for one in reasons)
    helps = ("Preemption is not helpful for scheduling", "No preemption victims found for incoming pod")
    tried = _counted(helps[reasons[0].startswith("Insufficient")] for reasons in refusals)
    return f"{total}: {reasons}. preemption: {total}: {tried}."


def _counted(reasons: Iterable[str]) -> str:
    return ", ".join(sorted(f"{count} {reason}" for reason, count in Counter(reasons).items()))


def _bind(api: Api, pod: Object, node: str) -> None:
    """The server itself then writes that the pod is scheduled."""
    binding = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {key: pod["metadata"][key] for key in ("name", "namespace", "uid")},
        "target": {"kind": "Node", "name": node},
    }
    api.create(f"{path_of(PODS, pod)}/binding", binding)


def _tell(api: Api, pod: Object, message: str, now: datetime) -> None:
    conditions: list[Object] = pod["status"].get("conditions", [])
    told: Object = next((one for one in conditions if one["type"] == "PodScheduled"), {})
    if told.get("message") == message:
        return
    since = told["lastTransitionTime"] if told.get("status") == "False" else rfc3339(now)
    fresh = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    conditions = [{**fresh, "lastTransitionTime": since}]
    api.patch(f"{path_of(PODS, pod)}/status", {"status": {"conditions": conditions}}, joined=True)
