"""Which pods are the GPU Operator's operands, and what state they are in: shared by the checks about them.

The operator places its operands by node labels `nvidia.com/gpu.deploy.*`, which therefore stand in the pods'
node selectors.
"""

from __future__ import annotations

from datetime import datetime

from bot.model.objects import Pod, condition
from bot.model.snapshot import Snapshot

DEPLOY = "nvidia.com/gpu.deploy."
#: Operands that hand GPUs to virtual machines; the others hand them to containers.
SANDBOX = frozenset({"sandbox-device-plugin", "sandbox-validator", "vfio-manager"})
_PLUGINS = frozenset({"device-plugin", "sandbox-device-plugin"})


def role(pod: Pod) -> str:
    """What the operator deploys here (`vfio-manager`), empty for any other pod."""
    labels = (key.removeprefix(DEPLOY) for key in sorted(pod.spec.node_selector) if key.startswith(DEPLOY))
    return next(labels, "")


def operands(snapshot: Snapshot, node: str) -> tuple[Pod, ...]:
    """The operand pods that are bound to the node, by name."""
    pods = (pod for pod in snapshot.pods_by_node.get(node, ()) if role(pod))
    return tuple(sorted(pods, key=lambda pod: pod.name))


def device_plugins(snapshot: Snapshot, node: str) -> tuple[Pod, ...]:
    """The pods that advertise the node's GPUs, the operator's or a DaemonSet of one's own."""
    pods = (pod for pod in snapshot.pods_by_node.get(node, ()) if _is_plugin(pod))
    return tuple(sorted(pods, key=lambda pod: pod.name))


def _is_plugin(pod: Pod) -> bool:
    if role(pod):
        # The MPS control daemon is placed by the same label and advertises nothing.
        return role(pod) in _PLUGINS and "-mps-" not in pod.name
    owners = (owner.name for owner in pod.metadata.owner_references if owner.kind == "DaemonSet")
    return any("nvidia" in name and "device-plugin" in name and "-mps-" not in name for name in owners)


def is_stuck(pod: Pod, at: datetime) -> bool:
    """Whether it should be gone: a deletion timestamp includes the grace period already."""
    return pod.metadata.deletion_timestamp is not None and pod.metadata.deletion_timestamp < at


def has_failed(pod: Pod) -> bool:
    """Whether the pod or one of its containers ended with an error, as `kubectl get pods` says `Error`."""
    states = pod.status.container_statuses + pod.status.init_container_statuses
    ended = (one.state.terminated for one in states if one.state.terminated is not None)
    return pod.status.phase == "Failed" or any(one.exit_code != 0 for one in ended)


def is_not_ready(pod: Pod) -> bool:
    """Whether the node controller or the kubelet took its readiness away."""
    ready = condition(pod.status.conditions, "Ready")
    return ready is not None and ready.status != "True"
