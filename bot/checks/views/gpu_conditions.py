"""GPU conditions of nodes, and the events that say when they turned: what is bad, and what the reason means.

Only conditions whose polarity is documented count: the EKS node monitoring agent's `...Ready` is bad when False,
the AKS node problem detector's are bad when True.
"""

from __future__ import annotations

import re
from datetime import datetime

import msgspec

from bot.checks.evidence import of_condition, of_event
from bot.model.findings import Code, Evidence
from bot.model.objects import Condition, Event, KubeObject, Node, ref_of
from bot.model.refs import Ref
from bot.model.refs import node as node_ref
from bot.model.snapshot import Snapshot, known

#: The status that means a fault, by condition type. Sources: aws/eks-node-monitoring-agent 1.7.0; AKS documentation
#: of the node problem detector. Throttling is performance, not a fault of the GPU, and is left out.
BAD_STATUS = {
    "AcceleratedHardwareReady": "False",
    "GPUMissing": "True",
    "XIDErrors": "True",
    "NVLinkStatusInactive": "True",
    "UnhealthyNvidiaDevicePlugin": "True",
}
GPU_CONDITION_FALSE = Code("gpu-condition-false")
DCGM_LIBRARY = Code("dcgm-library-missing")
DCGM_UNREACHABLE = Code("dcgm-unreachable")
_DCGM = {
    DCGM_LIBRARY: re.compile(r"libdcgm\.so\S* not found", re.IGNORECASE),
    DCGM_UNREACHABLE: re.compile(r"Error connecting to nv-hostengine"),
}
_TURNED = re.compile(
    r"Status: \w+ -> (?P<status>\w+), Reason: (?P<reason>\w+)(?:,\s*Message: (?P<message>.*))?", re.DOTALL
)
#: Part of the name of the EKS node monitoring agent's DaemonSet.
MONITOR = "node-monitoring-agent"


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """A node that a monitor marked as bad: by its condition, or by the event that told of the turn."""

    node: str
    condition: str
    status: str
    reason: str
    message: str
    at: datetime | None
    evidence: Evidence

    @property
    def dcgm(self) -> Code | None:
        """Which DCGM fault the monitor told of, if any."""
        return next((code for code, pattern in _DCGM.items() if pattern.search(self.message)), None)


def marks_on(node: Node) -> tuple[Mark, ...]:
    """The bad GPU conditions that the node carries now."""
    return tuple(_from_condition(node, one) for one in node.status.conditions if BAD_STATUS.get(one.type) == one.status)


def _from_condition(node: Node, one: Condition) -> Mark:
    return Mark(
        node=node.name,
        condition=one.type,
        status=one.status,
        reason=one.reason,
        message=one.message,
        at=one.last_transition_time,
        evidence=of_condition(node_ref(node.name), one),
    )


def marks_in_events(snapshot: Snapshot) -> tuple[Mark, ...]:
    """Every turn to bad that an event told of, oldest first; Karpenter before 1.14 writes one for each node."""
    marks = [mark for event in known(snapshot.events) if (mark := _from_event(event))]
    return tuple(sorted(marks, key=lambda mark: (str(mark.at or ""), mark.node)))


def _from_event(event: Event) -> Mark | None:
    about = event.involved_object
    if about.kind != "Node" or not about.name or event.reason not in BAD_STATUS:
        return None
    hit = _TURNED.search(event.message)
    if hit is None or hit["status"] != BAD_STATUS[event.reason]:
        return None
    return Mark(
        node=about.name,
        condition=event.reason,
        status=hit["status"],
        reason=hit["reason"],
        message=hit["message"] or "",
        at=event.first,
        evidence=of_event(node_ref(about.name), event),
    )


def good_since(node: Node, moment: datetime) -> bool:
    """Whether a monitor has called the node's GPUs well since before this moment; no proof, but not marked either."""
    return any(
        one.type in BAD_STATUS
        and one.status not in (BAD_STATUS[one.type], "Unknown")
        and one.last_transition_time is not None
        and one.last_transition_time <= moment
        for one in node.status.conditions
    )


def monitor_pods(snapshot: Snapshot, node: str) -> tuple[Ref, ...]:
    """The pods of the node monitoring agent on a node."""
    return tuple(sorted(ref_of(pod) for pod in snapshot.pods_by_node.get(node, ()) if _is_monitor(pod)))


def _is_monitor(pod: KubeObject) -> bool:
    return any(own.kind == "DaemonSet" and MONITOR in own.name for own in pod.metadata.owner_references)
