"""Which reads a question needs: a few small requests, and those that the first answers make worth asking.

Selectors are those of the API server itself: pods by `spec.nodeName` and `status.phase`, events by
`involvedObject.*`, `type` and `reason` (kubernetes `pkg/apis/core/v1/conversion.go`, `pkg/registry/core/event`).
"""

from __future__ import annotations

from collections.abc import Iterable

from bot.app.ports import Read
from bot.checks.views.karpenter import POOL_LABEL
from bot.model.objects import DaemonSet
from bot.model.refs import CLUSTER, NAMESPACED, Ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot, known

#: Suspect nodes that are looked at closely; what lies beyond is said to be unread.
SUSPECTS = 16

#: Lists that are short on every cluster, or whose whole is the question ("the only node that has this card").
_ALWAYS = (
    Read(section=Section.NODES),
    Read(section=Section.LEASES, namespace="kube-node-lease"),
    Read(section=Section.DAEMONSETS),
    Read(section=Section.DEPLOYMENTS),
    Read(section=Section.VIRTUALMACHINES),
    Read(section=Section.VIRTUALMACHINEINSTANCES),
    Read(section=Section.KUBEVIRTS),
    Read(section=Section.CLUSTERPOLICIES),
    Read(section=Section.NODECLAIMS),
    Read(section=Section.NODEPOOLS),
)
_NOT_RUNNING = Read(section=Section.PODS, field_selector="status.phase!=Running,status.phase!=Succeeded")
_WARNINGS = Read(section=Section.EVENTS, field_selector="type=Warning")
_NODE_EVENTS = Read(section=Section.EVENTS, field_selector="involvedObject.kind=Node")
#: What Karpenter and the node controller write about machines that come and go; much of it has type Normal.
_MACHINES = (
    _NODE_EVENTS,
    Read(section=Section.EVENTS, field_selector="involvedObject.kind=NodeClaim"),
    Read(section=Section.EVENTS, field_selector="involvedObject.kind=NodePool"),
    Read(section=Section.EVENTS, field_selector="reason=Disrupted"),
)


def first_reads(scope: Iterable[Ref]) -> tuple[Read, ...]:
    """The reads with which every question about this scope begins; pods and events are always among them."""
    reads = dict.fromkeys(_ALWAYS)
    for ref in scope:
        reads.update(dict.fromkeys(_about(ref)))
    return tuple(reads)


def _about(ref: Ref) -> tuple[Read, ...]:
    if ref == CLUSTER:
        return (_NOT_RUNNING, _WARNINGS, *_MACHINES)
    if ref.kind == "node":
        return (_pods_on(ref.name), _events_of(ref.name))
    if ref.kind == "vm":
        launchers = Read(section=Section.PODS, namespace=ref.namespace, label_selector="kubevirt.io=virt-launcher")
        return (launchers, Read(section=Section.EVENTS, namespace=ref.namespace))
    if ref.kind in NAMESPACED:
        return tuple(Read(section=section, namespace=ref.namespace) for section in (Section.PODS, Section.EVENTS))
    return (_NOT_RUNNING, *_MACHINES)


def follow_reads(snapshot: Snapshot, nodes: Iterable[str], scope: Iterable[Ref]) -> tuple[Read, ...]:
    """What the suspects of the first answers make worth reading: their pods, their events, their pool's story."""
    suspects = list(nodes)
    reads: list[Read] = []
    for name in suspects[:SUSPECTS]:
        reads += [_pods_on(name), _events_of(name)]
    if any(POOL_LABEL in snapshot.node[name].metadata.labels for name in suspects if name in snapshot.node):
        reads += _MACHINES
    if CLUSTER in scope:
        spaces = sorted({one.namespace for one in known(snapshot.daemonsets) if _is_operand(one) and _falls_short(one)})
        reads += [Read(section=Section.PODS, namespace=space) for space in spaces]
    if any(ref.kind in ("nodepool", "nodeclaim") for ref in scope):
        reads += _MACHINES
    return tuple(dict.fromkeys(reads))


def _pods_on(node: str) -> Read:
    return Read(section=Section.PODS, field_selector=f"spec.nodeName={node}")


def _events_of(node: str) -> Read:
    return Read(section=Section.EVENTS, field_selector=f"involvedObject.kind=Node,involvedObject.name={node}")


def _is_operand(one: DaemonSet) -> bool:
    return any(owner.kind == "ClusterPolicy" for owner in one.metadata.owner_references)


def _falls_short(one: DaemonSet) -> bool:
    """Whether some pod of it is worth a look: the counts alone never prove that all is well."""
    status = one.status
    return status.number_ready < status.desired_number_scheduled or status.number_misscheduled > 0
