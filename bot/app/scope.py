"""What a reference stands for once the cluster was looked at.

What is gone is answered from what it left behind: a pod from its owner and its events, a node from its NodeClaim and
its NodePool, a NodeClaim from its NodePool. What left no trace at all was never there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from bot.app.ports import NoSuchObject
from bot.checks.views.generations import histories
from bot.checks.views.karpenter import NOMINATED, POOL_LABEL
from bot.checks.views.loop import was_followed
from bot.checks.views.unlisted import unlisted
from bot.model.objects import KubeObject, Pod
from bot.model.objects.meta import word_of
from bot.model.refs import CLUSTER, Ref, node
from bot.model.sections import NotInstalled, Section, Unknown
from bot.model.snapshot import Snapshot, known

SECTION_OF: dict[str, Section] = {
    "node": Section.NODES,
    "vm": Section.VIRTUALMACHINES,
    "pod": Section.PODS,
    "nodeclaim": Section.NODECLAIMS,
    "nodepool": Section.NODEPOOLS,
    "deploy": Section.DEPLOYMENTS,
    "ds": Section.DAEMONSETS,
}
#: How a controller names its pods: kubernetes `pkg/controller` SimpleNameGenerator, five characters behind a hyphen;
#: a Deployment's ReplicaSet puts the template's hash between.
_SUFFIX = {"deploy": r"(-[a-z0-9]{1,10})?-[a-z0-9]{5}", "ds": r"-[a-z0-9]{5}", "job": r"(-[0-9]+)?-[a-z0-9]{5}"}
_POOL = re.compile(r'NodePool "([^"]+)"')
_ASSIGNED = re.compile(r"Successfully assigned \S+ to (\S+)")
_DIRECT = frozenset({"DaemonSet", "Job"})
#: From a pod over its gone node and NodeClaim to the pool.
_STEPS = 3


def widen(scope: Iterable[Ref], snapshot: Snapshot, faulty: frozenset[Ref] = frozenset()) -> tuple[Ref, ...]:
    """The references, and those behind them that their answer has to come from.

    `faulty` are the nodes with a fault of their own: one that a pod of the scope runs on belongs to the question.

    Raises:
        NoSuchObject: a reference names nothing that is there or has left a trace.
    """
    asked = tuple(dict.fromkeys(scope))
    found = dict.fromkeys(asked)
    for ref in asked:
        _demand(ref, snapshot)
    # Of a pod that is there the owner's other pods, and the nodes of those, are not asked about.
    ends = {one for ref in asked if ref.kind == "pod" and exists(ref, snapshot) for one in owners_of(ref, snapshot)}
    newest = asked
    for _ in range(_STEPS):
        onward = [ref for ref in newest if ref in asked or ref not in ends]
        newest = tuple(behind for ref in onward for behind in _behind(ref, snapshot, faulty) if behind not in found)
        found.update(dict.fromkeys(newest))
    return tuple(found)


def exists(ref: Ref, snapshot: Snapshot) -> bool | None:
    """Whether the object is there; None where that could not be read or no section holds its kind."""
    section = SECTION_OF.get(ref.kind)
    whole = snapshot.section(section) if section else None
    if not isinstance(whole, tuple):
        return False if isinstance(whole, NotInstalled) else None
    return any((one.namespace, one.name) == (ref.namespace, ref.name) for one in whole)


def is_unseen(ref: Ref, snapshot: Snapshot) -> bool:
    """Whether nobody could look at it: it is not there any more, which a list that is not whole does not prove.

    An object of a kind that is not read (a Job) is seen by its pods only.
    """
    section = SECTION_OF.get(ref.kind)
    if section is None:
        return ref != CLUSTER and not any(pods_of(ref, snapshot))
    if section in snapshot.gaps or exists(ref, snapshot) is not False:
        return False
    if any((one.section, one.namespace, one.name) == (section, ref.namespace, ref.name) for one in snapshot.unreadable):
        return False
    # Pods or a fresh Lease show a node, a running instance a VM that has no VirtualMachine.
    return not (ref.name in unlisted(snapshot) if ref.kind == "node" else ref.kind == "vm" and _runs(ref, snapshot))


def stand_in(ref: Ref, snapshot: Snapshot) -> Ref:
    """What answers for it now: for a machine that is seen to be gone and followed by another, the pool of both.

    Whatever could not be read shows neither, and the machine stays what is asked about.
    """
    if ref.kind not in ("node", "nodeclaim") or not is_unseen(ref, snapshot):
        return ref
    for pool, history in histories(snapshot).items():
        series = history.nodes if ref.kind == "node" else history.claims
        if exists(pool, snapshot) and any(one.ref == ref and was_followed(one, series) for one in series):
            return pool
    return ref


def _runs(vm: Ref, snapshot: Snapshot) -> bool:
    return any((one.namespace, one.name) == (vm.namespace, vm.name) for one in known(snapshot.virtualmachineinstances))


def _demand(ref: Ref, snapshot: Snapshot) -> None:
    if ref == CLUSTER or exists(ref, snapshot) or _trace(ref, snapshot):
        return
    section = SECTION_OF.get(ref.kind)
    if section and isinstance(snapshot.section(section), NotInstalled):
        raise NoSuchObject(ref, f"the cluster does not serve {section.value}")
    # What could not be read may hold it, or its trace: then the diagnosis says what it could not see.
    tellers = [Section.EVENTS, Section.PODS, *([section] if section else [])]
    if not any(isinstance(snapshot.section(one), Unknown) or one in snapshot.gaps for one in tellers):
        raise NoSuchObject(ref, "no such object, and neither events, owners nor NodeClaims tell of one")


def _trace(ref: Ref, snapshot: Snapshot) -> bool:
    """Whether anything tells that it once was there."""
    if ref in snapshot.events_by_object or (ref.kind == "job" and any(pods_of(ref, snapshot))):
        return True
    if ref.kind == "node":
        return ref.name in snapshot.lease or ref.name in snapshot.pods_by_node or any(_claims_of(ref.name, snapshot))
    if ref.kind == "pod":
        created = f"Created pod: {ref.name}"
        return any(one.metadata.namespace == ref.namespace and created == one.message for one in known(snapshot.events))
    if ref.kind == "vm":
        return _runs(ref, snapshot)
    if ref.kind == "nodepool":
        machines: list[KubeObject] = [*known(snapshot.nodes), *known(snapshot.nodeclaims)]
        return any(one.metadata.labels.get(POOL_LABEL) == ref.name for one in machines)
    return False


def _behind(ref: Ref, snapshot: Snapshot, faulty: frozenset[Ref]) -> Iterator[Ref]:
    """The references one step behind this one."""
    look: Callable[[Ref, Snapshot], Iterator[Ref]] | None = {
        "node": _behind_node,
        "nodeclaim": _behind_nodeclaim,
        "vm": _behind_vm,
    }.get(ref.kind)
    if look is not None:
        yield from look(ref, snapshot)
    elif ref.kind == "pod":
        yield from owners_of(ref, snapshot)
    if ref.kind in ("pod", *_SUFFIX):
        for host in _hosts(ref, snapshot):
            if host in faulty or exists(host, snapshot) is False:
                yield host


def _behind_node(ref: Ref, snapshot: Snapshot) -> Iterator[Ref]:
    """Only for a node that is gone: one that is there answers for itself."""
    if exists(ref, snapshot) is not False:
        return
    claims = list(_claims_of(ref.name, snapshot))
    yield from claims
    pools = _named_pools(ref, snapshot)
    if not claims and not pools:
        # Nothing says which pool it was of; every pool may be the one.
        pools = tuple(Ref("nodepool", pool.name) for pool in known(snapshot.nodepools))
    yield from pools


def _claims_of(name: str, snapshot: Snapshot) -> Iterator[Ref]:
    return (Ref("nodeclaim", one.name) for one in known(snapshot.nodeclaims) if one.status.node_name == name)


def _behind_nodeclaim(ref: Ref, snapshot: Snapshot) -> Iterator[Ref]:
    for claim in known(snapshot.nodeclaims):
        if claim.name == ref.name:
            if claim.status.node_name:
                yield node(claim.status.node_name)
            if POOL_LABEL in claim.metadata.labels:
                yield Ref("nodepool", claim.metadata.labels[POOL_LABEL])
            return
    # Karpenter names a NodeClaim after its pool (`generateName: POOL-`).
    by_name = (Ref("nodepool", one.name) for one in known(snapshot.nodepools) if _child(one.name, r"-[a-z0-9]{5}", ref))
    yield from _named_pools(ref, snapshot) or by_name


def _named_pools(ref: Ref, snapshot: Snapshot) -> tuple[Ref, ...]:
    """The pools that the object's own events name."""
    hits = (_POOL.search(event.message) for event in snapshot.events_by_object.get(ref, ()))
    return tuple(dict.fromkeys(Ref("nodepool", hit[1]) for hit in hits if hit))


def _behind_vm(ref: Ref, snapshot: Snapshot) -> Iterator[Ref]:
    for one in known(snapshot.virtualmachineinstances):
        if (one.namespace, one.name) == (ref.namespace, ref.name) and one.status.node_name:
            yield node(one.status.node_name)


def owners_of(ref: Ref, snapshot: Snapshot) -> Iterator[Ref]:
    """The Deployment, DaemonSet or Job of a pod, by its owner reference or, when it is gone, by its name."""
    there = [pod for pod in _pods(snapshot, ref.namespace) if pod.name == ref.name]
    if there:
        yield from _owners(there[0], snapshot)
        return
    yield from _named_after(ref, "deploy", known(snapshot.deployments))
    yield from _named_after(ref, "ds", known(snapshot.daemonsets))


def _owners(pod: Pod, snapshot: Snapshot) -> Iterator[Ref]:
    for owner in pod.metadata.owner_references:
        if owner.kind in _DIRECT:
            yield Ref(word_of(owner.kind), owner.name, pod.namespace)
        elif owner.kind == "ReplicaSet":
            yield from _named_after(Ref("pod", pod.name, pod.namespace), "deploy", known(snapshot.deployments))


def _named_after(pod: Ref, kind: str, things: Iterable[KubeObject]) -> Iterator[Ref]:
    for thing in things:
        if thing.namespace == pod.namespace and _child(thing.name, _SUFFIX[kind], pod):
            yield Ref(kind, thing.name, thing.namespace)


def _child(parent: str, suffix: str, ref: Ref) -> bool:
    return ref.name.startswith(parent) and re.fullmatch(suffix, ref.name[len(parent) :]) is not None


def pods_of(ref: Ref, snapshot: Snapshot) -> Iterator[Pod]:
    """The pods that a reference means: itself, or those of a workload."""
    for pod in _pods(snapshot, ref.namespace):
        if ref == Ref("pod", pod.name, pod.namespace) or (ref.kind in _SUFFIX and ref in _owners(pod, snapshot)):
            yield pod


def _pods(snapshot: Snapshot, namespace: str) -> Iterator[Pod]:
    return (pod for pod in known(snapshot.pods) if pod.namespace == namespace)


def _hosts(ref: Ref, snapshot: Snapshot) -> Iterator[Ref]:
    """The nodes that the pods of this reference run or ran on."""
    for pod in pods_of(ref, snapshot):
        if pod.spec.node_name:
            yield node(pod.spec.node_name)
    for event in snapshot.events_by_object.get(ref, ()):
        if hit := _ASSIGNED.search(event.message):
            yield node(hit[1])
        if hit := NOMINATED.search(event.message):
            yield Ref("nodeclaim", hit[1])
