"""Does a node's monitor say that the GPU itself is broken?

The kernel's own Xid lines are rows of `signatures.toml`; here are the monitor's reasons.
"""

from __future__ import annotations

from bot.checks.check import Answer, Check
from bot.checks.views.hardware import GPU_HARDWARE_FAULT, monitor_evidence
from bot.checks.views.karpenter import group_of
from bot.model.findings import Finding, Severity
from bot.model.refs import node as node_ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot, known


def run(snapshot: Snapshot) -> Answer:
    """One finding for each node whose monitor names the hardware."""
    for node in known(snapshot.nodes):
        if evidence := monitor_evidence(snapshot, node):
            group = group_of(node)
            yield Finding(
                code=GPU_HARDWARE_FAULT,
                subject=node_ref(node.name),
                severity=Severity.CRITICAL,
                evidence=evidence,
                refs={"nodepool": (group,)} if group else {},
            )


CHECK = Check(
    name="gpu-hardware",
    codes=(GPU_HARDWARE_FAULT,),
    reads=(Section.NODES,),
    also_reads=(Section.EVENTS,),
    run=run,
)
