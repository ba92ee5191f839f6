"""What speaks of a broken GPU: the reasons of the node monitor and the kernel's Xid lines."""

from __future__ import annotations

import re

from bot.checks.evidence import of_condition, of_event
from bot.model.findings import Code, Evidence
from bot.model.hosttext import HostSource
from bot.model.objects import Node
from bot.model.refs import node as node_ref
from bot.model.snapshot import Snapshot

GPU_HARDWARE_FAULT = Code("gpu-hardware-fault")
#: Xids that the EKS node monitoring agent takes for fatal (v1.7.0). Others, as 13, 31, 43 and 45, are the
#: application's first (NVIDIA Xid catalog).
FATAL_XIDS = frozenset({46, 48, 54, 62, 63, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 142, 143, 151, 155, 156, 158})
_KERNEL = re.compile(r"NVRM: Xid \([^)]*\): (\d+)")
_REASON = re.compile(r"\bNvidia(?:XID(\d+)Error|DoubleBitError|NVLinkError|FabricError)\b")
#: AKS writes the numbers into the condition's message.
_AKS = ("XIDErrors", "True")


def reason_speaks(text: str) -> bool:
    """Whether a monitor's reason names the hardware."""
    hit = _REASON.search(text)
    return hit is not None and (hit[1] is None or int(hit[1]) in FATAL_XIDS)


def kernel_speaks(snapshot: Snapshot, node: str) -> bool:
    """Whether a kernel log of this node that we were given holds a fatal Xid."""
    return any(
        int(hit[1]) in FATAL_XIDS
        for text in snapshot.host_texts
        if text.node == node and text.source in (HostSource.DMESG, HostSource.JOURNAL)
        for hit in _KERNEL.finditer(text.text)
    )


def monitor_evidence(snapshot: Snapshot, node: Node) -> tuple[Evidence, ...]:
    """Where the monitor speaks of the hardware of a node: its conditions, and the events about it."""
    subject = node_ref(node.name)
    conditions = [
        of_condition(subject, one)
        for one in node.status.conditions
        if (one.status == "False" and reason_speaks(one.reason))
        or ((one.type, one.status) == _AKS and any(int(n) in FATAL_XIDS for n in re.findall(r"\d+", one.message)))
    ]
    events = [
        of_event(subject, event)
        for event in snapshot.events_by_object.get(subject, ())
        if reason_speaks(event.message) or reason_speaks(event.reason)
    ]
    return tuple(conditions + sorted(events, key=lambda one: (str(one.first_seen or ""), one.quote)))
