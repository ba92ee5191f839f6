"""Who else acts on this node: NVSentinel, a cloud's repair, the cluster autoscaler?"""

from __future__ import annotations

from collections.abc import Iterator

from bot.checks.check import Answer, Check
from bot.checks.evidence import of_event, of_taint, quoted
from bot.model.findings import Code, Evidence, Finding, Kind, Severity
from bot.model.objects import Node, ref_of
from bot.model.sections import Section
from bot.model.snapshot import Snapshot

NVSENTINEL = Code("nvsentinel-quarantine")
CLOUD = Code("cloud-node-repair")
AUTOSCALER = Code("autoscaler-removes-node")
#: By the annotation and not by the label, which a manual uncordon leaves behind (NVIDIA/NVSentinel#1872).
QUARANTINE = "quarantineHealthEvent"
_SCALE_DOWN = frozenset({"ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler"})
_REPAIRERS = frozenset({"aks-auto-repair"})


def _run(snapshot: Snapshot) -> Answer:
    for node in snapshot.node.values():
        yield from _acting(NVSENTINEL, node, _quarantined(node))
        taints = (taint for taint in node.spec.taints if taint.key in _SCALE_DOWN)
        yield from _acting(AUTOSCALER, node, [of_taint(ref_of(node), taint) for taint in taints])
        yield from _acting(CLOUD, node, _repairs(snapshot, node))


def _acting(code: Code, node: Node, evidence: list[Evidence]) -> Iterator[Finding]:
    if evidence:
        yield Finding(
            code=code, subject=ref_of(node), kind=Kind.ACTING, severity=Severity.INFO, evidence=tuple(evidence)
        )


def _quarantined(node: Node) -> list[Evidence]:
    text = node.metadata.annotations.get(QUARANTINE, "")
    return [quoted(ref_of(node), f"metadata.annotations[{QUARANTINE}]", text[:200])] if text else []


def _repairs(snapshot: Snapshot, node: Node) -> list[Evidence]:
    about = ref_of(node)
    events = (
        event
        for event in snapshot.events_by_object.get(about, ())
        if {event.source.component, event.reporting_component} & _REPAIRERS
    )
    return [of_event(about, event) for event in sorted(events, key=lambda event: event.name)]


CHECK = Check(
    name="others-acting",
    codes=(NVSENTINEL, CLOUD, AUTOSCALER),
    reads=(Section.NODES,),
    also_reads=(Section.EVENTS,),
    run=_run,
)
