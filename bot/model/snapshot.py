"""One picture of the cluster: every section known, unknown with its reason, or not installed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from functools import cached_property
from typing import TypeVar

import msgspec

from bot.model.hosttext import HostText, Output, PodLog
from bot.model.objects import (
    ClusterPolicy,
    ConfigMap,
    DaemonSet,
    Deployment,
    Event,
    KubeObject,
    KubeVirt,
    Lease,
    Node,
    NodeClaim,
    NodePool,
    Pod,
    VirtualMachine,
    VirtualMachineInstance,
)
from bot.model.objects.meta import word_of
from bot.model.refs import Ref
from bot.model.sections import NotInstalled, Section, Unknown, UnknownReason, UnreadableObject

T = TypeVar("T")
NOT_COLLECTED = Unknown(UnknownReason.NOT_COLLECTED)

#: The struct that each section's objects decode into.
TYPES: dict[Section, type[KubeObject]] = {
    Section.NODES: Node,
    Section.LEASES: Lease,
    Section.PODS: Pod,
    Section.EVENTS: Event,
    Section.DAEMONSETS: DaemonSet,
    Section.DEPLOYMENTS: Deployment,
    Section.VIRTUALMACHINES: VirtualMachine,
    Section.VIRTUALMACHINEINSTANCES: VirtualMachineInstance,
    Section.KUBEVIRTS: KubeVirt,
    Section.CLUSTERPOLICIES: ClusterPolicy,
    Section.NODECLAIMS: NodeClaim,
    Section.NODEPOOLS: NodePool,
}


class RepairPolicy(msgspec.Struct, frozen=True):
    """A row of a Karpenter provider's repair policies: a condition in this status is tolerated this long."""

    condition: str
    status: str
    toleration: timedelta


class UnreadFile(msgspec.Struct, frozen=True):
    """A file of what was collected that could not be read, and why; what it holds is not known."""

    path: str
    why: str


class Snapshot(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The cluster at `at`, as far as it was read.

    `at` is world time, the moment from which ages count. Text sections hold what there is: a missing text of a
    host is seen by whoever asks for it. `repair_policies` are a setting that travels with the picture.
    `gaps` are the known sections of which a part could not be read: what is there is true, what is not there proves
    nothing. `outputs` are what a person pasted to attest a step, and no part of a diagnosis. `configmaps` are no
    section: nobody lists them, the executor of a repair reads single ones by their names.
    """

    at: datetime
    nodes: tuple[Node, ...] | Unknown | NotInstalled = NOT_COLLECTED
    leases: tuple[Lease, ...] | Unknown | NotInstalled = NOT_COLLECTED
    pods: tuple[Pod, ...] | Unknown | NotInstalled = NOT_COLLECTED
    events: tuple[Event, ...] | Unknown | NotInstalled = NOT_COLLECTED
    daemonsets: tuple[DaemonSet, ...] | Unknown | NotInstalled = NOT_COLLECTED
    deployments: tuple[Deployment, ...] | Unknown | NotInstalled = NOT_COLLECTED
    virtualmachines: tuple[VirtualMachine, ...] | Unknown | NotInstalled = NOT_COLLECTED
    virtualmachineinstances: tuple[VirtualMachineInstance, ...] | Unknown | NotInstalled = NOT_COLLECTED
    kubevirts: tuple[KubeVirt, ...] | Unknown | NotInstalled = NOT_COLLECTED
    clusterpolicies: tuple[ClusterPolicy, ...] | Unknown | NotInstalled = NOT_COLLECTED
    nodeclaims: tuple[NodeClaim, ...] | Unknown | NotInstalled = NOT_COLLECTED
    nodepools: tuple[NodePool, ...] | Unknown | NotInstalled = NOT_COLLECTED
    host_texts: tuple[HostText, ...] = ()
    outputs: tuple[Output, ...] = ()
    pod_logs: tuple[PodLog, ...] = ()
    unreadable: tuple[UnreadableObject, ...] = ()
    gaps: Mapping[Section, Unknown] = {}
    configmaps: tuple[ConfigMap, ...] | Unknown | NotInstalled = NOT_COLLECTED
    unread_files: tuple[UnreadFile, ...] = ()
    repair_policies: tuple[RepairPolicy, ...] = ()

    def section(self, section: Section) -> tuple[KubeObject, ...] | Unknown | NotInstalled:
        """The section as it was read."""
        value: tuple[KubeObject, ...] | Unknown | NotInstalled = getattr(self, section.value)
        return value

    def unknown(self, sections: Iterable[Section]) -> dict[Section, Unknown]:
        """Those of the sections that could not be read."""
        return {one: value for one in sections if isinstance(value := self.section(one), Unknown)}

    @cached_property
    def node(self) -> Mapping[str, Node]:
        """Nodes by name."""
        return {node.name: node for node in known(self.nodes)}

    @cached_property
    def lease(self) -> Mapping[str, Lease]:
        """The kubelets' leases by node name."""
        return {lease.name: lease for lease in known(self.leases) if lease.namespace == "kube-node-lease"}

    @cached_property
    def pods_by_node(self) -> Mapping[str, tuple[Pod, ...]]:
        """Pods by the node that they are bound to."""
        return _grouped((pod.spec.node_name, pod) for pod in known(self.pods) if pod.spec.node_name)

    @cached_property
    def events_by_object(self) -> Mapping[Ref, tuple[Event, ...]]:
        """Events by what they are about."""
        return _grouped(
            (Ref(word_of(about.kind), about.name, about.namespace), event)
            for event in known(self.events)
            for about in (event.involved_object,)
        )


def known(section: tuple[T, ...] | Unknown | NotInstalled) -> tuple[T, ...]:
    """The objects that were read; none where the section is unknown or not installed.

    Only for evidence that a check does not need: one that needs the section names it in `reads` and is not run
    when it is unknown.
    """
    return section if isinstance(section, tuple) else ()


K = TypeVar("K")
V = TypeVar("V")


def _grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, tuple[V, ...]]:
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return {key: tuple(values) for key, values in groups.items()}
