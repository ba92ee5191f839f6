"""Kubernetes objects as far as the checks use them; unknown fields are skipped when decoding."""

from bot.model.objects.core import (
    ConfigMap,
    Container,
    ContainerState,
    ContainerStatus,
    DaemonSet,
    Deployment,
    Event,
    Lease,
    Node,
    Pod,
    Taint,
)
from bot.model.objects.karpenter import NodeClaim, NodePool
from bot.model.objects.meta import Condition, KubeObject, ObjectMeta, OwnerReference, condition, ref_of
from bot.model.objects.nvidia import ClusterPolicy
from bot.model.objects.virt import KubeVirt, VirtualMachine, VirtualMachineInstance

__all__ = [
    "ClusterPolicy",
    "Condition",
    "ConfigMap",
    "Container",
    "ContainerState",
    "ContainerStatus",
    "DaemonSet",
    "Deployment",
    "Event",
    "KubeObject",
    "KubeVirt",
    "Lease",
    "Node",
    "NodeClaim",
    "NodePool",
    "ObjectMeta",
    "OwnerReference",
    "Pod",
    "Taint",
    "VirtualMachine",
    "VirtualMachineInstance",
    "condition",
    "ref_of",
]
