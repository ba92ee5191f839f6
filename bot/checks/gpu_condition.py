"""Does a monitor say that a node's GPUs are not well?

A node that is gone is told of only where its pool loops and no other node carries the mark: between two generations.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.checks.check import Answer, Check
from bot.checks.views.gpu_conditions import GPU_CONDITION_FALSE, Mark, marks_in_events, marks_on, monitor_pods
from bot.checks.views.karpenter import group_of
from bot.checks.views.loop import Loop, loops
from bot.model.findings import Finding, Onset, Severity
from bot.model.objects import Node
from bot.model.refs import Ref
from bot.model.refs import node as node_ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot, known


def run(snapshot: Snapshot) -> Answer:
    """One finding for each marked node."""
    marked: set[Ref] = set()
    for node in known(snapshot.nodes):
        if marks := marks_on(node):
            group = group_of(node)
            marked |= {group} if group else set()
            yield _finding(snapshot, marks, group, Severity.WARNING, node)
    for pool, loop in loops(snapshot).items():
        if pool not in marked:
            yield from _last_marked(snapshot, pool, loop)


def _last_marked(snapshot: Snapshot, pool: Ref, loop: Loop) -> Iterator[Finding]:
    gone = {one.ref.name for one in loop.history.nodes} - set(snapshot.node)
    marks = [mark for mark in marks_in_events(snapshot) if mark.node in gone]
    if marks:
        yield _finding(snapshot, (marks[-1],), pool, Severity.INFO)


def _finding(
    snapshot: Snapshot, marks: tuple[Mark, ...], group: Ref | None, severity: Severity, node: Node | None = None
) -> Finding:
    first = marks[0]
    refs = {"nodepool": (group,)} if group else {}
    deleted = node.metadata.deletion_timestamp if node else None
    return Finding(
        code=GPU_CONDITION_FALSE,
        subject=node_ref(first.node),
        severity=severity,
        onset=Onset(first.at, f"{first.evidence.source} {first.evidence.field}") if first.at else None,
        evidence=tuple(mark.evidence for mark in marks),
        values={
            "condition": first.condition,
            "status": first.status,
            "reason": first.reason,
            "message": first.message,
            **({"deleted": deleted} if deleted else {}),
        },
        refs={**refs, "monitor": monitor_pods(snapshot, first.node)},
    )


CHECK = Check(
    name="gpu-condition",
    codes=(GPU_CONDITION_FALSE,),
    reads=(Section.NODES,),
    also_reads=(Section.EVENTS, Section.NODECLAIMS, Section.NODEPOOLS, Section.PODS),
    run=run,
)
