"""What the GPU Operator does about a node's mode, and whether it deals with modes at all.

A label that nobody acts on protects nothing. Within about a second a running operator swaps the node's
`nvidia.com/gpu.deploy.*` labels, and the pods of the other side go Terminating; on a dead node they stay so (measured
with the GPU Operator of 2026-08). Sets of labels: `gpuStateLabels` of NVIDIA/gpu-operator, `state_manager.go`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.checks.evidence import NONE, quoted
from bot.checks.views.operands import DEPLOY, SANDBOX, operands, role
from bot.checks.views.workload_mode import LABEL, Mode, policy
from bot.model.findings import Evidence
from bot.model.objects import Node, Pod, ref_of
from bot.model.refs import Ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot
from bot.remedy.probes.answer import ProbeAnswer, Question, cannot_tell, compared, holds, malformed, not_yet, unread
from bot.remedy.probes.objects import node_asked
from bot.remedy.runbook import ProbeCall

_MACHINES = SANDBOX | {"vgpu-manager", "vgpu-device-manager"}
#: Of the container side the two that every installation has, with a driver of the operator's or the host's.
_CONTAINERS = frozenset({"device-plugin", "operator-validator"})
#: The modes that are asked about: the operands that a node of this mode gets, and those of the other side.
_SIDES: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    Mode.CONTAINER: (_CONTAINERS, _MACHINES),
    Mode.PASSTHROUGH: (SANDBOX, _CONTAINERS),
}


def _reacted(snapshot: Snapshot, call: ProbeCall, target: Ref) -> ProbeAnswer:
    mode = call.params.get("value", Mode.CONTAINER)
    if mode not in _SIDES:
        return malformed(f"value={mode}")
    own, other = _SIDES[mode]
    node = node_asked(snapshot, call, target)
    if isinstance(node, ProbeAnswer):
        return node
    labelled = compared(snapshot, ref_of(node), f"metadata.labels[{LABEL}]", node.metadata.labels.get(LABEL, ""), mode)
    if not labelled.holds:
        return labelled
    gap = snapshot.gaps.get(Section.PODS)
    left = [one for one in sorted(other) if _deploys(node, one)]
    missing = [one for one in sorted(own) if not _deploys(node, one)]
    pods = [pod for pod in operands(snapshot, node.name) if role(pod) in other]
    alive = [pod for pod in pods if not _ends(pod)]
    evidence = (*_labels(snapshot, node, left or sorted(own), missing), *_pods(snapshot, pods))
    values = {
        "subject": f"node/{node.name}",
        "mode": mode,
        "left": ", ".join(left) or "-",
        "missing": ", ".join(missing) or "-",
        "pods": ", ".join(pod.name for pod in alive) or "-",
    }
    if left or missing or alive:
        return not_yet("repair-operator-silent", values, *evidence)
    if gap:
        return unread(Section.PODS.value, gap)
    return holds("repair-operator-reacted", values, *evidence)


def _deploys(node: Node, operand: str) -> bool:
    return node.metadata.labels.get(DEPLOY + operand, "false") not in ("", "false")


def _ends(pod: Pod) -> bool:
    return pod.metadata.deletion_timestamp is not None


def _labels(snapshot: Snapshot, node: Node, shown: list[str], missing: list[str]) -> tuple[Evidence, ...]:
    """The labels that speak: those that should be gone, otherwise those of the node's own side, and its absences."""
    labels = node.metadata.labels
    return tuple(
        quoted(ref_of(node), f"metadata.labels[{DEPLOY}{one}]", labels.get(DEPLOY + one, NONE), last=snapshot.at)
        for one in dict.fromkeys((*shown, *missing))
    )


def _pods(snapshot: Snapshot, pods: Sequence[Pod]) -> tuple[Evidence, ...]:
    return tuple(
        quoted(
            ref_of(pod),
            "metadata.deletionTimestamp",
            when.isoformat() if (when := pod.metadata.deletion_timestamp) else NONE,
            last=snapshot.at,
        )
        for pod in pods
    )


def _sandbox_on(snapshot: Snapshot, _call: ProbeCall, _target: Ref) -> ProbeAnswer:
    chosen = policy(snapshot)
    if chosen is None:
        gap = snapshot.gaps.get(Section.CLUSTERPOLICIES)
        if gap:
            return unread(Section.CLUSTERPOLICIES.value, gap)
        return cannot_tell("repair-no-cluster-policy", {})
    seen = "true" if chosen.spec.sandbox_workloads.enabled else "false"
    return compared(snapshot, ref_of(chosen), "spec.sandboxWorkloads.enabled", seen, "true")


OPERATOR_REACTED = Question(
    holds_when="The GPU Operator gave the node to containers, or to VMs for the `value` vm-passthrough: its labels are "
    "those of this side, and no pod of the other side lives on.",
    ask=_reacted,
    reads=(Section.NODES, Section.PODS),
    may=frozenset({"node", "value"}),
)
SANDBOX_ON = Question(
    holds_when="The GPU Operator deals with modes of nodes at all: without it their label means nothing.",
    ask=_sandbox_on,
    reads=(Section.CLUSTERPOLICIES,),
)
