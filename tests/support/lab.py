"""Small builders for a lab with GPU nodes, KubeVirt and the GPU Operator; everything is well unless said otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from bot.model.hosttext import HostSource, HostText
from bot.model.objects import (
    ClusterPolicy,
    Condition,
    Container,
    ContainerState,
    ContainerStatus,
    DaemonSet,
    Event,
    Lease,
    Node,
    ObjectMeta,
    OwnerReference,
    Pod,
    Taint,
)
from bot.model.objects.core import (
    DaemonSetStatus,
    InvolvedObject,
    LeaseSpec,
    NodeSpec,
    NodeStatus,
    NodeSystemInfo,
    PodSpec,
    PodStatus,
    PodTemplate,
    ResourceRequirements,
    TemplateSpec,
    Terminated,
    WorkloadSpec,
)
from bot.model.objects.nvidia import ClusterPolicySpec, ClusterPolicyStatus, SandboxWorkloads, Switch
from bot.model.sections import Section
from bot.model.snapshot import Snapshot

AT = datetime(2026, 10, 30, 15, 40, tzinfo=UTC)
DOWN = datetime(2026, 7, 10, 15, 40, 31, tzinfo=UTC)
R5090 = "nvidia.com/GB202_GEFORCE_RTX_5090"
R3090 = "nvidia.com/GA102_GEFORCE_RTX_3090"


def ago(**delta: float) -> datetime:
    return AT - timedelta(**delta)


def ready(status: str = "True", message: str = "", since: datetime = DOWN, reason: str = "") -> Condition:
    reasons = {"True": "KubeletReady", "False": "KubeletNotReady", "Unknown": "NodeStatusUnknown"}
    return Condition(
        type="Ready",
        status=status,
        reason=reason or reasons.get(status, ""),
        message=message,
        last_transition_time=since,
        last_heartbeat_time=since - timedelta(minutes=4) if status == "Unknown" else ago(minutes=2),
    )


def node(
    name: str = "omen2",
    status: str = "True",
    *,
    message: str = "",
    gpus: Mapping[str, str] = {},
    labels: Mapping[str, str] = {},
    heartbeat: datetime | None = None,
    taints: Sequence[str] = (),
    since: datetime = DOWN,
    born: datetime = datetime(2026, 3, 2, tzinfo=UTC),
    boot: str = "",
    annotations: Mapping[str, str] = {},
    conditions: tuple[Condition, ...] | None = None,
) -> Node:
    beat = {"kubevirt.io/heartbeat": f"{heartbeat:%Y-%m-%dT%H:%M:%SZ}"} if heartbeat else {}
    keys = ["node.kubernetes.io/unreachable"] if status == "Unknown" and conditions is None else []
    return Node(
        metadata=ObjectMeta(
            name=name, labels=dict(labels), annotations={**beat, **annotations}, creation_timestamp=born
        ),
        spec=NodeSpec(taints=tuple(Taint(key=key, effect="NoSchedule") for key in [*keys, *taints])),
        status=NodeStatus(
            capacity={"cpu": "32", **gpus},
            allocatable={"cpu": "32", **gpus},
            conditions=(ready(status, message, since),) if conditions is None else conditions,
            node_info=NodeSystemInfo(boot_id=boot),
        ),
    )


def gpu_node(name: str = "omen2", status: str = "Unknown", mode: str = "vm-passthrough", **more: Any) -> Node:
    side = ("vfio-manager", "sandbox-device-plugin") if mode == "vm-passthrough" else ("device-plugin",)
    labels = {
        "nvidia.com/gpu.present": "true",
        "nvidia.com/gpu.workload.config": mode,
        **{f"nvidia.com/gpu.deploy.{one}": "true" for one in side},
    }
    return node(name, status, **{"gpus": {R5090: "1"}, "labels": labels, **more})


def lease(name: str = "omen2", renewed: datetime | None = None, born: datetime | None = None) -> Lease:
    return Lease(
        metadata=ObjectMeta(name=name, namespace="kube-node-lease", creation_timestamp=born),
        spec=LeaseSpec(renew_time=renewed or ago(seconds=5), lease_duration_seconds=40),
    )


def pod(
    name: str,
    on: str = "omen2",
    *,
    operand: str = "",
    is_ready: bool = True,
    error: bool = False,
    deleted: datetime | None = None,
    labels: Mapping[str, str] = {},
    requests: Mapping[str, str] = {},
    owner: str = "",
    namespace: str = "gpu-operator",
    phase: str = "Running",
    born: datetime | None = None,
) -> Pod:
    ended = Terminated(exit_code=255, reason="Error", finished_at=DOWN)
    return Pod(
        metadata=ObjectMeta(
            name=name,
            namespace=namespace,
            labels=dict(labels),
            creation_timestamp=born,
            deletion_timestamp=deleted,
            owner_references=(OwnerReference(kind="DaemonSet", name=owner),) if owner else (),
        ),
        spec=PodSpec(
            node_name=on,
            node_selector={f"nvidia.com/gpu.deploy.{operand}": "true"} if operand else {},
            containers=(Container(name="main", resources=ResourceRequirements(requests=dict(requests))),),
        ),
        status=PodStatus(
            phase=phase,
            conditions=(Condition(type="Ready", status="True" if is_ready else "False", last_transition_time=DOWN),),
            container_statuses=(
                ContainerStatus(name="main", state=ContainerState(terminated=ended if error else None)),
            ),
        ),
    )


def plugin(on: str = "omen2", **more: Any) -> Pod:
    return pod(f"sandbox-device-plugin-{on}", on, operand="sandbox-device-plugin", **{"is_ready": False, **more})


def policy(
    enabled: bool | None = True, default: str = "container", driver: bool | None = False, state: str = "ready"
) -> ClusterPolicy:
    sandbox = SandboxWorkloads(enabled=enabled, default_workload=default)
    return ClusterPolicy(
        metadata=ObjectMeta(name="cluster-policy"),
        spec=ClusterPolicySpec(sandbox_workloads=sandbox, driver=Switch(enabled=driver)),
        status=ClusterPolicyStatus(state=state),
    )


def daemonset(operand: str = "sandbox-device-plugin", desired: int = 0, is_ready: int = 0) -> DaemonSet:
    selector = {f"nvidia.com/gpu.deploy.{operand}": "true"}
    return DaemonSet(
        metadata=ObjectMeta(name=f"nvidia-{operand}", namespace="gpu-operator"),
        spec=WorkloadSpec(template=PodTemplate(spec=TemplateSpec(node_selector=selector))),
        status=DaemonSetStatus(desired_number_scheduled=desired, number_ready=is_ready),
    )


def event(reason: str, about: str = "omen2", last: datetime = DOWN, message: str = "", kind: str = "Node") -> Event:
    return Event(
        metadata=ObjectMeta(name=f"{about}.{reason}.{last.timestamp():.0f}", namespace="default"),
        involved_object=InvolvedObject(kind=kind, name=about),
        reason=reason,
        message=message or reason,
        first_timestamp=last,
        last_timestamp=last,
    )


def journal(text: str, on: str = "omen2", unit: str = "kubelet", **more: Any) -> HostText:
    return HostText(node=on, unit=unit, source=HostSource.JOURNAL, text=text, **more)


def cluster(**sections: Any) -> Snapshot:
    """A cluster in which everything was read, and what is not given is empty."""
    return Snapshot(**{"at": AT, **{one.value: () for one in Section}, **sections})


def without(snapshot: Snapshot, *sections: Section) -> Snapshot:
    """The same picture with these sections not collected."""
    blank = Snapshot(at=snapshot.at)
    return msgspec.structs.replace(snapshot, **{one.value: blank.section(one) for one in sections})
