"""Which virtual machines find no node, and which nodes could they live on at all?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from bot.checks.check import Answer, Check, unread
from bot.checks.evidence import of_condition, of_taint, quoted
from bot.checks.views.components import kubevirt
from bot.checks.views.demand import Demand, advertisers, demands, has_free
from bot.checks.views.liveness import NOT_READY_TAINTS
from bot.model.findings import Blind, Code, Evidence, Finding, Kind, Onset, Severity
from bot.model.objects import Node, ref_of
from bot.model.refs import Ref
from bot.model.sections import Section, Unknown
from bot.model.snapshot import Snapshot, known

UNSCHEDULABLE = Code("vm-unschedulable")
PINNED = Code("vm-pinned")
TIED = Code("vm-tied")
_EITHER = (Section.VIRTUALMACHINES, Section.VIRTUALMACHINEINSTANCES)
#: Up to Kubernetes 1.35 the taint is named in braces; from 1.36 on the words are `untolerated taint(s)`.
_TAINTED = re.compile(r"(\d+) node\(s\) had untolerated taint(?:\(s\)| \{([^:}]*))")
_INSUFFICIENT = re.compile(r"(\d+) Insufficient ([A-Za-z0-9./_-]*[A-Za-z0-9_-])")


def tainted(message: str) -> int:
    """How many nodes the scheduler passed over for a taint, in its old wording and its newer one."""
    return sum(int(number) for number, _ in _TAINTED.findall(message))


def lacking(message: str, resource: str) -> int:
    """How many nodes the scheduler passed over because they have none of the resource left."""
    return sum(int(number) for number, name in _INSUFFICIENT.findall(message) if name == resource)


def _run(snapshot: Snapshot) -> Answer:
    if all(isinstance(snapshot.section(one), Unknown) for one in _EITHER):
        yield unread("vm-unschedulable", (UNSCHEDULABLE,), snapshot, _EITHER)
        return
    launchers = _launchers(snapshot)
    for demand in demands(snapshot):
        if demand.is_unschedulable:
            yield _finding(snapshot, demand, launchers.get((demand.vm.namespace, demand.vm.name), ()))
            if demand.resources:
                yield _pinned(snapshot, demand)


def _finding(snapshot: Snapshot, demand: Demand, launchers: Sequence[Ref]) -> Finding:
    nodes = advertisers(snapshot, demand.resources)
    # A ready node with a free device is passed over for another reason, so no dead node explains the wait.
    if any(has_free(snapshot, node, demand.resources[0]) for node in nodes):
        nodes = ()
    message = demand.waiting.message if demand.waiting else ""
    changed = demand.waiting.last_transition_time if demand.waiting else None
    return Finding(
        code=UNSCHEDULABLE,
        subject=demand.vm,
        severity=Severity.CRITICAL,
        onset=Onset(changed, "status.conditions[PodScheduled].lastTransitionTime") if changed else None,
        evidence=(*_words(demand), *_taints(nodes)),
        values={
            "resource": ", ".join(demand.resources),
            "tainted": tainted(message),
            "lacking": sum(lacking(message, one) for one in demand.resources),
        },
        refs={"node": tuple(ref_of(node) for node in nodes), "pod": tuple(sorted(launchers))},
    )


def _words(demand: Demand) -> Iterator[Evidence]:
    if demand.status:
        yield quoted(demand.vm, "status.printableStatus", demand.status)
    if demand.waiting is not None:
        yield of_condition(demand.source, demand.waiting)


def _taints(nodes: tuple[Node, ...]) -> Iterator[Evidence]:
    for node in nodes:
        for taint in node.spec.taints:
            if taint.key in NOT_READY_TAINTS:
                yield of_taint(ref_of(node), taint)


def _launchers(snapshot: Snapshot) -> Mapping[tuple[str, str], Sequence[Ref]]:
    """The pods that would run each machine, by its namespace and name."""
    found: dict[tuple[str, str], list[Ref]] = {}
    for pod in known(snapshot.pods):
        name = pod.metadata.labels.get("vm.kubevirt.io/name")
        if name:
            found.setdefault((pod.namespace, name), []).append(ref_of(pod))
    return found


def _pinned(snapshot: Snapshot, demand: Demand) -> Finding | Blind:
    """A machine with a passthrough device cannot move: it lives where the card is, or not at all."""
    nodes = advertisers(snapshot, demand.resources)
    resource = ", ".join(demand.resources)
    if not nodes:
        return Blind(
            check="vm-unschedulable",
            codes=(PINNED,),
            subject=demand.vm,
            why="no-advertiser-seen",
            command="kubectl get nodes -o yaml | grep nvidia.com",
            values={"resource": resource},
            sections=(Section.NODES,) if isinstance(snapshot.nodes, Unknown) else (),
            required=False,
        )
    return Finding(
        code=PINNED if len(nodes) == 1 else TIED,
        subject=demand.vm,
        kind=Kind.FACT,
        severity=Severity.INFO,
        evidence=tuple(
            quoted(ref_of(node), f"status.capacity[{one}]", node.status.capacity.get(one, "0"))
            for node in nodes
            for one in demand.resources
        ),
        values={"resource": resource},
        refs={"node": tuple(ref_of(node) for node in nodes)},
    )


CHECK = Check(
    name="vm-unschedulable",
    codes=(UNSCHEDULABLE, PINNED, TIED),
    reads=(),
    also_reads=(*_EITHER, Section.NODES, Section.PODS),
    of_all=(PINNED, TIED),
    applies=kubevirt,
    run=_run,
)
