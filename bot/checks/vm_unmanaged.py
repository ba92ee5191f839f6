"""Which virtual machines were on a node whose kubelet is dead?

They may well run on, unwatched; what their objects say is as old as the kubelet's death. An effect, always.
"""

from __future__ import annotations

from bot.checks.check import Answer, Check
from bot.checks.evidence import quoted
from bot.checks.views.components import kubevirt
from bot.checks.views.demand import machine
from bot.checks.views.liveness import dead_kubelets
from bot.model.findings import Code, Finding
from bot.model.objects import VirtualMachineInstance, ref_of
from bot.model.refs import node as node_ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot, known

UNMANAGED = Code("vm-unmanaged")
_OVER = ("Succeeded", "Failed")


def instances_on(snapshot: Snapshot, node: str) -> tuple[VirtualMachineInstance, ...]:
    """The instances that were last seen on the node and had not ended, by name."""
    found = (one for one in known(snapshot.virtualmachineinstances) if one.status.node_name == node)
    return tuple(sorted((one for one in found if one.status.phase not in _OVER), key=lambda one: str(ref_of(one))))


def _run(snapshot: Snapshot) -> Answer:
    for name in dead_kubelets(snapshot):
        for instance in instances_on(snapshot, name):
            yield Finding(
                code=UNMANAGED,
                subject=machine(instance),
                evidence=(
                    quoted(ref_of(instance), "status.nodeName", name),
                    quoted(ref_of(instance), "status.phase", instance.status.phase),
                ),
                values={"phase": instance.status.phase},
                refs={"node": (node_ref(name),)},
            )


CHECK = Check(
    name="vm-unmanaged",
    codes=(UNMANAGED,),
    reads=(Section.VIRTUALMACHINEINSTANCES,),
    also_reads=(Section.NODES, Section.LEASES),
    applies=kubevirt,
    run=_run,
)
