"""Which virtual machines were last seen on a node."""

from __future__ import annotations

from bot.model.objects import VirtualMachineInstance, ref_of
from bot.model.snapshot import Snapshot, known

_OVER = ("Succeeded", "Failed")


def instances_on(snapshot: Snapshot, node: str) -> tuple[VirtualMachineInstance, ...]:
    """The instances that were last seen on the node and had not ended, by name."""
    found = (one for one in known(snapshot.virtualmachineinstances) if one.status.node_name == node)
    return tuple(sorted((one for one in found if one.status.phase not in _OVER), key=lambda one: str(ref_of(one))))
