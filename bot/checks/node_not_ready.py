"""Is the node ready, as the control plane sees it?"""

from __future__ import annotations

from collections.abc import Iterator

from bot.checks.check import Answer, Check, unread
from bot.checks.evidence import of_condition, of_event, of_taint
from bot.checks.views.liveness import NOT_READY_TAINTS, has_just_joined
from bot.checks.views.unlisted import unlisted
from bot.model.findings import Blind, Code, Evidence, Finding, Onset, Severity
from bot.model.objects import Event, Node, Taint, ref_of
from bot.model.refs import Ref
from bot.model.refs import node as node_ref
from bot.model.sections import Section, Unknown
from bot.model.snapshot import Snapshot

NOT_READY = Code("node-not-ready")


def _run(snapshot: Snapshot) -> Answer:
    if isinstance(snapshot.nodes, Unknown):
        yield unread("node-not-ready", (NOT_READY,), snapshot, (Section.NODES,))
        yield from _from_events(snapshot)
        return
    for node in snapshot.node.values():
        yield from _about(snapshot, node)
    for name in unlisted(snapshot):
        yield _blind(node_ref(name), why="node-not-listed", command=f"kubectl get node {name}")


def _about(snapshot: Snapshot, node: Node) -> Iterator[Finding | Blind]:
    """A node without a Ready condition is told of by the taints that the node controller sets beside it."""
    status = node.ready.status if node.ready else ""
    watch = f"kubectl get node {node.name} -w"
    if status in ("", "False") and has_just_joined(node, snapshot.at):
        yield _blind(ref_of(node), why="ready-not-told", command=watch, required=not status)
    elif status != "True" and (status or _taints(node)):
        yield _finding(snapshot, node)
    elif not status:
        yield _blind(ref_of(node), why="ready-not-told", command=watch)


def _taints(node: Node) -> tuple[Taint, ...]:
    return tuple(taint for taint in node.spec.taints if taint.key in NOT_READY_TAINTS)


def _blind(subject: Ref, *, why: str, command: str, required: bool = True) -> Blind:
    return Blind(
        check="node-not-ready", codes=(NOT_READY,), subject=subject, why=why, command=command, required=required
    )


def _finding(snapshot: Snapshot, node: Node) -> Finding:
    about, ready = ref_of(node), node.ready
    changed = ready.last_transition_time if ready else None
    return Finding(
        code=NOT_READY,
        subject=about,
        severity=Severity.CRITICAL,
        onset=Onset(changed, "status.conditions[Ready].lastTransitionTime") if changed else None,
        evidence=(
            *([of_condition(about, ready)] if ready else []),
            *(of_taint(about, taint) for taint in _taints(node)),
            *_events(snapshot, about),
        ),
        values={"status": ready.status if ready else "", "reason": ready.reason if ready else ""},
        refs={"pod": _pods(snapshot, node.name)},
    )


def _pods(snapshot: Snapshot, name: str) -> tuple[Ref, ...]:
    """Pods bound to the node: whoever asks about one of them asks about the node."""
    return tuple(sorted(ref_of(pod) for pod in snapshot.pods_by_node.get(name, ())))


def _events(snapshot: Snapshot, about: Ref) -> tuple[Evidence, ...]:
    latest = _latest(snapshot, about)
    return (of_event(about, latest),) if latest is not None and latest.reason == "NodeNotReady" else ()


def _latest(snapshot: Snapshot, about: Ref) -> Event | None:
    words = [
        (event.last, event.name, event)
        for event in snapshot.events_by_object.get(about, ())
        if event.reason in ("NodeNotReady", "NodeReady") and event.last
    ]
    return max(words, key=lambda word: word[:2])[2] if words else None


def _from_events(snapshot: Snapshot) -> Iterator[Finding]:
    """Where the nodes cannot be read, the controller's latest word on each is the substitute."""
    for about in snapshot.events_by_object:
        latest = _latest(snapshot, about) if about.kind == "node" else None
        if latest is not None and latest.reason == "NodeNotReady":
            yield Finding(
                code=NOT_READY,
                subject=about,
                severity=Severity.CRITICAL,
                evidence=(of_event(about, latest),),
                values={"status": "", "reason": latest.reason},
                refs={"pod": _pods(snapshot, about.name)},
            )


CHECK = Check(
    name="node-not-ready",
    codes=(NOT_READY,),
    reads=(),
    also_reads=(Section.NODES, Section.EVENTS, Section.PODS),
    run=_run,
)
