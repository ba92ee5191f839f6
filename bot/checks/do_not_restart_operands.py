"""Do failed sandbox operands stand on a node whose GPU a machine holds?

Restarted operands cannot start while a machine holds the card, and the machine itself is well: leave both alone until
it is stopped (NVIDIA/gpu-operator#1187).
"""

from __future__ import annotations

from bot.checks.check import Answer, Check
from bot.checks.evidence import quoted
from bot.checks.views.components import gpu_operator_and_kubevirt
from bot.checks.views.liveness import dead_kubelets
from bot.checks.views.machines import instances_on
from bot.checks.views.operands import SANDBOX, has_failed, operands, role
from bot.model.findings import Code, Finding, Kind
from bot.model.objects import ref_of
from bot.model.refs import node as node_ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot

DO_NOT = Code("do-not-restart-operands")


def _run(snapshot: Snapshot) -> Answer:
    dead = dead_kubelets(snapshot)
    for name in sorted(set(snapshot.pods_by_node) - set(dead)):
        failed = [pod for pod in operands(snapshot, name) if role(pod) in SANDBOX and has_failed(pod)]
        holding = [
            one
            for one in instances_on(snapshot, name)
            if one.status.phase == "Running" and (one.spec.domain.devices.gpus or one.spec.domain.devices.host_devices)
        ]
        if failed and holding:
            yield Finding(
                code=DO_NOT,
                subject=node_ref(name),
                kind=Kind.DO_NOT,
                evidence=(
                    *(quoted(ref_of(one), "status.phase", one.status.phase) for one in holding),
                    *(quoted(ref_of(pod), "status.phase", pod.status.phase) for pod in failed),
                ),
                refs={"pod": tuple(ref_of(pod) for pod in failed)},
            )


CHECK = Check(
    name="do-not-restart-operands",
    codes=(DO_NOT,),
    reads=(Section.PODS, Section.VIRTUALMACHINEINSTANCES),
    also_reads=(Section.NODES, Section.LEASES),
    applies=gpu_operator_and_kubevirt,
    run=_run,
)
