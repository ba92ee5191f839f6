"""Which virtual machines were on a node whose kubelet is dead?

They may well run on, unwatched; what their objects say is as old as the kubelet's death. An effect, always.
"""

from __future__ import annotations

from bot.checks.check import Answer, Check, unread
from bot.checks.evidence import quoted
from bot.checks.views.components import kubevirt
from bot.checks.views.demand import machine
from bot.checks.views.liveness import WITNESSES, dead_kubelets, is_told
from bot.checks.views.machines import instances_on
from bot.model.findings import Code, Finding
from bot.model.objects import ref_of
from bot.model.refs import node as node_ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot

UNMANAGED = Code("vm-unmanaged")


def _run(snapshot: Snapshot) -> Answer:
    if not is_told(snapshot):
        yield unread("vm-unmanaged", (UNMANAGED,), snapshot, WITNESSES)
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
    also_reads=WITNESSES,
    applies=kubevirt,
    run=_run,
)
