"""Which components run in this cluster: what decides whether their checks apply.

An object of the component or a label that only it writes is enough. Where nothing of it can be seen because the
nodes are unknown, the checks apply and say that they cannot tell, unless the API server does not serve its kind.
"""

from __future__ import annotations

from bot.model.sections import NotInstalled, Section
from bot.model.snapshot import Snapshot, known

_KUBEVIRT = (Section.KUBEVIRTS, Section.VIRTUALMACHINES, Section.VIRTUALMACHINEINSTANCES)
_GPU_OPERATOR = (Section.CLUSTERPOLICIES,)


def kubevirt(snapshot: Snapshot) -> bool:
    """Whether KubeVirt runs here: its objects, or the labels that virt-handler writes on nodes."""
    return _present(snapshot, _KUBEVIRT, "kubevirt.io/")


def gpu_operator(snapshot: Snapshot) -> bool:
    """Whether the GPU Operator runs here: a ClusterPolicy, or its labels on nodes."""
    return _present(snapshot, _GPU_OPERATOR, "nvidia.com/gpu.")


def gpu_operator_and_kubevirt(snapshot: Snapshot) -> bool:
    """Whether GPUs are given to virtual machines here."""
    return gpu_operator(snapshot) and kubevirt(snapshot)


def _present(snapshot: Snapshot, sections: tuple[Section, ...], prefix: str) -> bool:
    values = [snapshot.section(one) for one in sections]
    if any(isinstance(value, tuple) and value for value in values):
        return True
    if isinstance(snapshot.nodes, tuple):
        return any(label.startswith(prefix) for node in known(snapshot.nodes) for label in node.metadata.labels)
    return not any(isinstance(value, NotInstalled) for value in values)
