"""Does a machine wait for a GPU that its node gives to containers?

With the mode `container` the node advertises `nvidia.com/gpu` and no longer the name that machines ask for: they stay
unschedulable by that choice, also after a repair that chose it. Only a living kubelet shows the choice.
"""

from __future__ import annotations

from bot.checks.check import Answer, Check
from bot.checks.evidence import NONE, quoted
from bot.checks.views.components import gpu_operator_and_kubevirt
from bot.checks.views.demand import advertisers, demands
from bot.checks.views.liveness import alive_kubelets
from bot.checks.views.workload_mode import LABEL, Mode, effective, policy, sandbox_enabled
from bot.model.findings import Code, Finding
from bot.model.objects import Node, ref_of
from bot.model.sections import Section
from bot.model.snapshot import Snapshot

GIVEN = Code("gpu-given-to-containers")


def _run(snapshot: Snapshot) -> Answer:
    chosen = policy(snapshot)
    if chosen is None or not sandbox_enabled(snapshot):
        return
    alive = alive_kubelets(snapshot)
    waited_for: dict[str, Node] = {}
    for demand in demands(snapshot):
        if demand.is_unschedulable:
            waited_for |= {node.name: node for node in advertisers(snapshot, demand.resources)}
    for name, node in sorted(waited_for.items()):
        if name in alive and effective(snapshot, node) is Mode.CONTAINER:
            label = node.metadata.labels.get(LABEL, NONE)
            yield Finding(
                code=GIVEN,
                subject=ref_of(node),
                evidence=(
                    quoted(ref_of(node), f"metadata.labels[{LABEL}]", label),
                    quoted(
                        ref_of(chosen),
                        "spec.sandboxWorkloads.defaultWorkload",
                        chosen.spec.sandbox_workloads.default_workload,
                    ),
                ),
            )


CHECK = Check(
    name="gpu-given-to-containers",
    codes=(GIVEN,),
    reads=(Section.NODES, Section.CLUSTERPOLICIES),
    also_reads=(Section.VIRTUALMACHINES, Section.VIRTUALMACHINEINSTANCES, Section.LEASES),
    applies=gpu_operator_and_kubevirt,
    run=_run,
)
