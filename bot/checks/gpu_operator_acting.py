"""Does the GPU Operator act on a node as soon as its kubelet is back?

It keeps every node in the mode that label and policy say. What that mode means for the card is a hazard of its own.
"""

from __future__ import annotations

from bot.checks.check import Answer, Check
from bot.checks.evidence import NONE, quoted
from bot.checks.views.components import gpu_operator
from bot.checks.views.gpus import has_gpu
from bot.checks.views.liveness import dead_kubelets
from bot.checks.views.workload_mode import LABEL, effective, policy
from bot.model.findings import Code, Finding, Kind, Severity
from bot.model.objects import ref_of
from bot.model.sections import Section
from bot.model.snapshot import Snapshot

ACTS = Code("gpu-operator-acts")


def _run(snapshot: Snapshot) -> Answer:
    chosen = policy(snapshot)
    for name in dead_kubelets(snapshot) if chosen else ():
        node = snapshot.node.get(name)
        mode = effective(snapshot, node) if node else None
        if chosen is None or node is None or mode is None or not (has_gpu(node) or LABEL in node.metadata.labels):
            continue
        about = ref_of(node)
        label = node.metadata.labels.get(LABEL, NONE)
        yield Finding(
            code=ACTS,
            subject=about,
            kind=Kind.ACTING,
            severity=Severity.INFO,
            evidence=(
                quoted(about, f"metadata.labels[{LABEL}]", label),
                quoted(ref_of(chosen), "status.state", chosen.status.state),
            ),
            values={"mode": mode.value},
        )


CHECK = Check(
    name="gpu-operator-acting",
    codes=(ACTS,),
    reads=(Section.NODES, Section.CLUSTERPOLICIES),
    also_reads=(Section.LEASES,),
    applies=gpu_operator,
    run=_run,
)
