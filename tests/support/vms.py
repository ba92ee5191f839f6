"""Small builders for VMs that ask for a card, and a lab where one waits for a dead node."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from bot.model.objects import Condition, KubeVirt, ObjectMeta, OwnerReference, VirtualMachine, VirtualMachineInstance
from bot.model.objects.virt import (
    Devices,
    Domain,
    HostDevice,
    KubeVirtConfiguration,
    KubeVirtSpec,
    PermittedDevice,
    PermittedHostDevices,
    VirtualMachineInstanceSpec,
    VirtualMachineInstanceStatus,
    VirtualMachineSpec,
    VirtualMachineStatus,
    VirtualMachineTemplate,
)
from bot.model.snapshot import Snapshot
from tests.support.lab import DOWN, R5090, ago, cluster, daemonset, gpu_node, lease, node, plugin, pod, policy

OLD = (
    "0/8 nodes are available: 3 Insufficient {0}, 4 node(s) had untolerated taint {{node.kubernetes.io/unreachable: }}."
    " preemption: 0/8 nodes are available: 8 Preemption is not helpful for scheduling."
)
NEW = (
    "0/8 nodes are available: 3 Insufficient {0}, 4 node(s) had untolerated taint(s). no new claims to deallocate,"
    " preemption: 0/8 nodes are available: 8 Preemption is not helpful for scheduling."
)


def unscheduled(resource: str, words: str = OLD, since: datetime = DOWN) -> Condition:
    return Condition(
        type="PodScheduled",
        status="False",
        reason="Unschedulable",
        message=words.format(resource),
        last_transition_time=since,
    )


def _devices(resources: Iterable[str]) -> VirtualMachineInstanceSpec:
    gpus = tuple(HostDevice(device_name=one) for one in resources)
    return VirtualMachineInstanceSpec(domain=Domain(devices=Devices(gpus=gpus)))


def vm(
    name: str = "gpu-fedora",
    status: str = "ErrorUnschedulable",
    resource: str = R5090,
    words: str = OLD,
    since: datetime = DOWN,
) -> VirtualMachine:
    waiting = (unscheduled(resource, words, since),) if status == "ErrorUnschedulable" else ()
    return VirtualMachine(
        kind="VirtualMachine",
        metadata=ObjectMeta(name=name, namespace="vms"),
        spec=VirtualMachineSpec(
            run_strategy="Always", template=VirtualMachineTemplate(spec=_devices([resource] if resource else []))
        ),
        status=VirtualMachineStatus(printable_status=status, conditions=waiting),
    )


def vmi(
    name: str = "gpu-fedora",
    on: str = "",
    phase: str = "Scheduling",
    resource: str = R5090,
    words: str = OLD,
    owned: bool = True,
) -> VirtualMachineInstance:
    return VirtualMachineInstance(
        kind="VirtualMachineInstance",
        metadata=ObjectMeta(
            name=name,
            namespace="vms",
            owner_references=(OwnerReference(kind="VirtualMachine", name=name),) if owned else (),
        ),
        spec=_devices([resource] if resource else []),
        status=VirtualMachineInstanceStatus(
            phase=phase,
            node_name=on,
            conditions=(unscheduled(resource, words),) if phase == "Scheduling" else (),
        ),
    )


def kubevirt(*resources: str) -> KubeVirt:
    entries = tuple(
        PermittedDevice(resource_name=one, pci_vendor_selector="10de:2b85", external_resource_provider=True)
        for one in resources
    )
    devices = PermittedHostDevices(pci_host_devices=entries)
    return KubeVirt(
        metadata=ObjectMeta(name="kubevirt", namespace="kubevirt"),
        spec=KubeVirtSpec(configuration=KubeVirtConfiguration(permitted_host_devices=devices)),
    )


def dead_lab(**changes: Any) -> Snapshot:
    """omen2 is dead and gpu-fedora waits for it; every witness is there."""
    sections: dict[str, Any] = {
        "nodes": (gpu_node(heartbeat=ago(minutes=1)), node("worker1")),
        "leases": (lease(renewed=DOWN - timedelta(seconds=50)), lease("worker1")),
        "pods": (plugin(error=True), pod("vfio", operand="vfio-manager", is_ready=False)),
        "virtualmachines": (vm(),),
        "virtualmachineinstances": (vmi(),),
        "kubevirts": (kubevirt(R5090),),
        "clusterpolicies": (policy(),),
        "daemonsets": (daemonset(),),
    }
    return cluster(**{**sections, **changes})
