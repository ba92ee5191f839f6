"""Which workloads start over each time that a node of a looping pool is replaced?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.checks.check import Answer, Check
from bot.checks.evidence import of_event, quoted, stamp
from bot.checks.views.karpenter import by_karpenter, karpenter_seen
from bot.checks.views.loop import Loop, loops
from bot.model.findings import Code, Evidence, Finding, Onset
from bot.model.objects import Pod, ref_of
from bot.model.refs import Ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot, known

WORKLOAD_DISRUPTED = Code("workload-disrupted")
#: The name of a Deployment's pod: the hash of its template, then five letters, both without vowels (Kubernetes
#: apimachinery, `rand.SafeEncodeString`).
_OF_DEPLOYMENT = re.compile(r"^(.+)-[bcdfghjklmnpqrstvwxz2456789]{6,10}-[bcdfghjklmnpqrstvwxz2456789]{5}$")
_REASONS = frozenset({"Disrupted", "Evicted"})
_SCHEDULED = re.compile(r" to (\S+)$")
#: Evidence of one finding that is worth showing.
SHOWN = 5


class _Disrupted:
    """One workload's pods that went, and those that came instead."""

    def __init__(self) -> None:
        self.pods: dict[Ref, None] = {}
        self.evidence: list[Evidence] = []


def run(snapshot: Snapshot) -> Answer:
    """One finding for each workload of a looping pool, from its pods' events and its pods' ages."""
    looping = loops(snapshot)
    for pool, loop in looping.items():
        found: dict[Ref, _Disrupted] = {}
        for ref, evidence in _seen(snapshot, loop, alone=len(looping) == 1):
            one = found.setdefault(_workload(snapshot, ref), _Disrupted())
            one.pods[ref] = None
            one.evidence.append(evidence)
        for workload, one in sorted(found.items()):
            yield _finding(pool, workload, one)


def _finding(pool: Ref, workload: Ref, one: _Disrupted) -> Finding:
    ordered = sorted(one.evidence, key=lambda evidence: (str(evidence.first_seen or ""), evidence.object))
    first = ordered[0]
    return Finding(
        code=WORKLOAD_DISRUPTED,
        subject=workload,
        onset=Onset(first.first_seen, f"{first.source} {first.field}") if first.first_seen else None,
        evidence=tuple(ordered[-SHOWN:]),
        values={"count": len(one.pods)},
        refs={"nodepool": (pool,), "pod": tuple(sorted(one.pods))},
    )


def _seen(snapshot: Snapshot, loop: Loop, *, alone: bool) -> Iterator[tuple[Ref, Evidence]]:
    """Pods that Karpenter took from the loop's nodes, and pods on its node that are younger than the loop."""
    nodes = {one.ref.name for one in loop.history.nodes}
    where = _where(snapshot)
    for event in known(snapshot.events):
        about = event.involved_object
        if about.kind != "Pod" or event.reason not in _REASONS or not by_karpenter(event):
            continue
        ref = Ref("pod", about.name, about.namespace)
        if where[ref] in nodes if ref in where else alone:
            yield ref, of_event(ref, event)
    for pod in known(snapshot.pods):
        born = pod.metadata.creation_timestamp
        if pod.spec.node_name in nodes and born and born >= loop.first and _moves(pod):
            yield ref_of(pod), quoted(ref_of(pod), "metadata.creationTimestamp", stamp(born), born)


def _where(snapshot: Snapshot) -> dict[Ref, str]:
    """The node that a pod ran on, by its events and, where it still is, by itself."""
    found = {
        Ref("pod", event.involved_object.name, event.involved_object.namespace): hit[1]
        for event in known(snapshot.events)
        if event.reason == "Scheduled" and (hit := _SCHEDULED.search(event.message))
    }
    found.update({ref_of(pod): pod.spec.node_name for pod in known(snapshot.pods) if pod.spec.node_name})
    return found


def _moves(pod: Pod) -> bool:
    """Whether the pod comes again elsewhere: a DaemonSet's or the node's own is made for the new node."""
    kinds = {own.kind for own in pod.metadata.owner_references}
    return bool(kinds) and not kinds & {"DaemonSet", "Node"}


def _workload(snapshot: Snapshot, ref: Ref) -> Ref:
    """What the pod belongs to; the name of a Deployment's pod tells it, so it is found where the pod is gone."""
    if hit := _OF_DEPLOYMENT.match(ref.name):
        return Ref("deploy", hit[1], ref.namespace)
    pod = next((pod for pod in known(snapshot.pods) if ref_of(pod) == ref), None)
    owners = pod.metadata.owner_references if pod else ()
    job = next((own.name for own in owners if own.kind == "Job"), None)
    return Ref("job", job, ref.namespace) if job else ref


CHECK = Check(
    name="workload-disrupted",
    codes=(WORKLOAD_DISRUPTED,),
    reads=(),
    also_reads=(Section.PODS, Section.EVENTS, Section.NODES, Section.NODECLAIMS, Section.NODEPOOLS),
    applies=karpenter_seen,
    run=run,
)
