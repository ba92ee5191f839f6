"""Would a kubelet that returns now take the GPU away from what runs on the host?

With the mode `vm-passthrough` the operator starts vfio-manager as soon as the node is back; it rebinds the card to
vfio-pci, and every CUDA process on the host dies. Swap that is turned off starts a crash-looping kubelet within ten
seconds, so the warning covers both.
"""

from __future__ import annotations

from bot.checks.check import Answer, Check
from bot.checks.evidence import NONE, quoted, stamp
from bot.checks.views.components import gpu_operator
from bot.checks.views.gpus import has_gpu
from bot.checks.views.liveness import dead_kubelets, untold_kubelets
from bot.checks.views.operands import DEPLOY, SANDBOX, is_stuck, operands, role
from bot.checks.views.workload_mode import LABEL, Mode, effective, policy, sandbox_enabled, still_deploys
from bot.model.findings import Blind, Code, Evidence, Finding, Kind, Severity
from bot.model.objects import Node, ref_of
from bot.model.refs import node as node_ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot

DO_NOT = Code("do-not-start-kubelet")
RELABELLED = Code("already-relabelled")
_VFIO = "vfio-manager"


def _run(snapshot: Snapshot) -> Answer:
    for name in untold_kubelets(snapshot):
        if name not in snapshot.node:
            yield _not_told(name, why="node-not-listed", command=f"kubectl get node {name}", sections=(Section.NODES,))
    for name in dead_kubelets(snapshot):
        node = snapshot.node[name]
        if not (has_gpu(node) or LABEL in node.metadata.labels):
            continue
        mode = effective(snapshot, node)
        if mode is None:
            command = "kubectl get clusterpolicies -o yaml"
            sections = (Section.CLUSTERPOLICIES,)
            yield _not_told(name, why="workload-mode-not-told", command=command, sections=sections)
        elif mode is Mode.PASSTHROUGH or (_manages(snapshot) and still_deploys(node, _VFIO)):
            yield _warning(snapshot, node, mode)
        elif mode is Mode.CONTAINER:
            yield from _relabelled(snapshot, node)


def _manages(snapshot: Snapshot) -> bool:
    """Whether the operator gives GPUs to machines at all, or nobody can say that it does not."""
    return sandbox_enabled(snapshot) is not False


def _not_told(name: str, *, why: str, command: str, sections: tuple[Section, ...]) -> Blind:
    return Blind(
        check="do-not-start-kubelet",
        codes=(DO_NOT,),
        subject=node_ref(name),
        why=why,
        command=command,
        sections=sections,
        required=False,
    )


def _warning(snapshot: Snapshot, node: Node, mode: Mode) -> Finding:
    about = ref_of(node)
    chosen = policy(snapshot)
    evidence: list[Evidence] = [quoted(about, f"metadata.labels[{LABEL}]", node.metadata.labels.get(LABEL, NONE))]
    if still_deploys(node, _VFIO):
        evidence.append(quoted(about, f"metadata.labels[{DEPLOY}{_VFIO}]", "true"))
    if chosen is not None:
        sandbox = chosen.spec.sandbox_workloads
        quote = f"enabled: {str(sandbox.enabled).lower()}, defaultWorkload: {sandbox.default_workload}"
        evidence.append(quoted(ref_of(chosen), "spec.sandboxWorkloads", quote))
    return Finding(
        code=DO_NOT,
        subject=about,
        kind=Kind.DO_NOT,
        severity=Severity.CRITICAL,
        evidence=tuple(evidence),
        values={"mode": mode.value},
    )


def _relabelled(snapshot: Snapshot, node: Node) -> Answer:
    """Sandbox operands that hang on the dead node, or the containers' deploy labels: the operator has reacted."""
    ending = [pod for pod in operands(snapshot, node.name) if role(pod) in SANDBOX and is_stuck(pod, snapshot.at)]
    swapped = still_deploys(node, "device-plugin") and not still_deploys(node, "sandbox-device-plugin")
    if not _manages(snapshot) or not (ending or swapped):
        return
    about = ref_of(node)
    yield Finding(
        code=RELABELLED,
        subject=about,
        kind=Kind.FACT,
        severity=Severity.INFO,
        evidence=(
            quoted(about, f"metadata.labels[{LABEL}]", node.metadata.labels.get(LABEL, NONE)),
            *(
                quoted(ref_of(pod), "metadata.deletionTimestamp", stamp(pod.metadata.deletion_timestamp))
                for pod in ending
                if pod.metadata.deletion_timestamp
            ),
        ),
        refs={"pod": tuple(ref_of(pod) for pod in ending)},
    )


CHECK = Check(
    name="do-not-start-kubelet",
    codes=(DO_NOT, RELABELLED),
    reads=(Section.NODES,),
    also_reads=(Section.LEASES, Section.CLUSTERPOLICIES, Section.PODS),
    applies=gpu_operator,
    run=_run,
)
