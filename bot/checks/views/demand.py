"""Which virtual machines ask for which passthrough devices, and which nodes have ever advertised those."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from bot.model.objects import Condition, Node, VirtualMachine, VirtualMachineInstance, condition, ref_of
from bot.model.refs import Ref
from bot.model.snapshot import Snapshot, known


class Demand(msgspec.Struct, frozen=True, kw_only=True):
    """A machine and its devices; `waiting` holds the words of the scheduler where it cannot be placed.

    `source` is the object that says so, the machine or its instance.
    """

    vm: Ref
    resources: tuple[str, ...]
    status: str = ""
    waiting: Condition | None = None
    source: Ref

    @property
    def is_unschedulable(self) -> bool:
        """Whether the scheduler found no place for it."""
        return self.status == "ErrorUnschedulable" or self.waiting is not None


def demands(snapshot: Snapshot) -> tuple[Demand, ...]:
    """Every machine that was read, as a VM or as its instance, by reference."""
    found: dict[Ref, Demand] = {}
    for one in (*_of_vms(snapshot), *_of_instances(snapshot)):
        before = found.get(one.vm)
        found[one.vm] = one if before is None else _merged(before, one)
    return tuple(found[ref] for ref in sorted(found))


def _merged(vm: Demand, instance: Demand) -> Demand:
    source = vm.source if vm.waiting else instance.source
    waiting = vm.waiting or instance.waiting
    return msgspec.structs.replace(vm, waiting=waiting, source=source, resources=vm.resources or instance.resources)


def _of_vms(snapshot: Snapshot) -> Iterator[Demand]:
    for vm in known(snapshot.virtualmachines):
        yield Demand(
            vm=ref_of(vm),
            resources=_unique(vm.devices),
            status=vm.status.printable_status,
            waiting=_waiting(vm),
            source=ref_of(vm),
        )


def _of_instances(snapshot: Snapshot) -> Iterator[Demand]:
    for one in known(snapshot.virtualmachineinstances):
        devices = one.spec.domain.devices
        names = tuple(device.device_name for device in devices.gpus + devices.host_devices if device.device_name)
        yield Demand(vm=machine(one), resources=_unique(names), waiting=_waiting(one), source=ref_of(one))


def machine(instance: VirtualMachineInstance) -> Ref:
    """The VM that an instance runs; one that nobody owns is asked for by the instance's own name."""
    owners = (one.name for one in instance.metadata.owner_references if one.kind == "VirtualMachine")
    name = next(owners, "")
    return Ref("vm", name or instance.name, instance.namespace)


def _waiting(thing: VirtualMachine | VirtualMachineInstance) -> Condition | None:
    one = condition(thing.status.conditions, "PodScheduled")
    return one if one is not None and one.status == "False" and one.reason == "Unschedulable" else None


def _unique(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def advertisers(snapshot: Snapshot, resources: tuple[str, ...]) -> tuple[Node, ...]:
    """Nodes whose status has ever named all of these; the number may be stale or zero."""
    if not resources:
        return ()
    nodes = (node for node in snapshot.node.values() if all(one in _numbers(node) for one in resources))
    return tuple(sorted(nodes, key=lambda node: node.name))


def _numbers(node: Node) -> Mapping[str, str]:
    return {**node.status.capacity, **node.status.allocatable}


def has_free(snapshot: Snapshot, node: Node, resource: str) -> bool:
    """Whether a ready node has one left that no pod asks for, as far as the pods are known."""
    if node.ready is None or node.ready.status != "True" or node.spec.unschedulable:
        return False
    taken = sum(
        _count(container.resources.requests.get(resource, "0"))
        for pod in snapshot.pods_by_node.get(node.name, ())
        if pod.status.phase not in ("Succeeded", "Failed")
        for container in pod.spec.containers
    )
    return isinstance(snapshot.pods, tuple) and _count(node.status.allocatable.get(resource, "0")) > taken


def _count(text: str) -> int:
    """A number of devices; they come whole, so anything else counts as none."""
    return int(text) if text.isdigit() else 0
