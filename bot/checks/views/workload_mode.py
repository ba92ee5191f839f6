"""To whom the GPU Operator gives a node's GPU: shared by the checks about it.

The label `nvidia.com/gpu.workload.config` decides per node; a missing or unknown value means the policy's default,
and with sandbox workloads off every node is `container`.
"""

from __future__ import annotations

from enum import StrEnum

from bot.checks.views.operands import DEPLOY, SANDBOX
from bot.model.objects import ClusterPolicy, Node
from bot.model.sections import Unknown
from bot.model.snapshot import Snapshot, known

LABEL = "nvidia.com/gpu.workload.config"


class Mode(StrEnum):
    """The values of the label."""

    CONTAINER = "container"
    PASSTHROUGH = "vm-passthrough"
    VGPU = "vm-vgpu"


def policy(snapshot: Snapshot) -> ClusterPolicy | None:
    """The ClusterPolicy; the operator follows the first one only and ignores any other."""
    policies = sorted(known(snapshot.clusterpolicies), key=lambda one: (one.status.state == "ignored", one.name))
    return policies[0] if policies else None


def sandbox_enabled(snapshot: Snapshot) -> bool | None:
    """Whether the operator gives GPUs to machines at all.

    None where the policy is unknown, and where it does not say while nodes carry the labels that the operator writes
    only then.
    """
    chosen = policy(snapshot)
    if chosen is None:
        return None if isinstance(snapshot.clusterpolicies, Unknown) else False
    enabled = chosen.spec.sandbox_workloads.enabled
    if enabled is None and any(still_deploys(node, one) for node in snapshot.node.values() for one in SANDBOX):
        return None
    return bool(enabled)


def effective(snapshot: Snapshot, node: Node) -> Mode | None:
    """The node's mode; None where only the policy could tell and it does not."""
    labelled = node.metadata.labels.get(LABEL, "")
    chosen, enabled = policy(snapshot), sandbox_enabled(snapshot)
    if enabled is None:
        return Mode(labelled) if labelled in set(Mode) else None
    if chosen is None or not enabled:
        return Mode.CONTAINER
    value = labelled if labelled in set(Mode) else chosen.spec.sandbox_workloads.default_workload
    return Mode(value) if value in set(Mode) else Mode.CONTAINER


def still_deploys(node: Node, operand: str) -> bool:
    """Whether the operator's label still asks for this operand here."""
    return node.metadata.labels.get(DEPLOY + operand) == "true"
