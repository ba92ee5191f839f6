"""Small builders for clusters in which Karpenter replaces nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.adapters.files.knowledge import load_knowledge, load_policies
from bot.checks import REPLACEMENT
from bot.checks.check import Check
from bot.diagnose.diagnose import diagnose
from bot.model.diagnosis import Diagnosis
from bot.model.findings import Blind, Finding
from bot.model.objects import Condition, Deployment, Event, Node, NodeClaim, NodePool, ObjectMeta, OwnerReference, Pod
from bot.model.objects.core import (
    Container,
    EnvVar,
    EventSource,
    InvolvedObject,
    NodeStatus,
    NodeSystemInfo,
    PodSpec,
    PodTemplate,
    TemplateSpec,
    WorkloadSpec,
)
from bot.model.objects.karpenter import NodeClaimStatus
from bot.model.refs import CLUSTER, Ref
from bot.model.snapshot import Snapshot

_SECTIONS = ("nodes", "pods", "events", "nodeclaims", "deployments", "leases", "daemonsets")
AT = datetime(2025, 6, 11, 9, 0, tzinfo=UTC)
LIBRARY = "failed to initialize DCGM: libdcgm.so not Found"
HOSTENGINE = "failed to initialize DCGM: Error connecting to nv-hostengine: Host engine connection invalid/disconnected"


def ago(minutes: float) -> datetime:
    return AT - timedelta(minutes=minutes)


def mark(
    status: str = "False",
    minutes: float = 4,
    reason: str = "DCGMError",
    message: str = LIBRARY,
    kind: str = "AcceleratedHardwareReady",
) -> Condition:
    return Condition(type=kind, status=status, reason=reason, message=message, last_transition_time=ago(minutes))


def node(
    name: str,
    *conditions: Condition,
    pool: str = "gpu",
    age: float = 60,
    deleting: float | None = None,
    image: str = "Bottlerocket OS 1.39.1",
    owner: str = "",
) -> Node:
    ready = Condition(type="Ready", status="True", reason="KubeletReady", last_transition_time=ago(age - 0.5))
    return Node(
        metadata=ObjectMeta(
            name=name,
            labels={"karpenter.sh/nodepool": pool} if pool else {},
            creation_timestamp=ago(age),
            deletion_timestamp=None if deleting is None else ago(deleting),
            owner_references=(OwnerReference(kind="NodeClaim", name=owner),) if owner else (),
        ),
        status=NodeStatus(
            conditions=(ready, *conditions) if all(one.type != "Ready" for one in conditions) else conditions,
            node_info=NodeSystemInfo(os_image=image, architecture="arm64"),
        ),
    )


def claim(
    name: str,
    node_name: str = "",
    *,
    pool: str = "gpu",
    age: float = 60,
    deleting: float | None = None,
    forced: bool = False,
) -> NodeClaim:
    deleted = None if deleting is None else ago(deleting)
    stamp = f"{deleted:%Y-%m-%dT%H:%M:%SZ}" if forced and deleted else ""
    return NodeClaim(
        metadata=ObjectMeta(
            name=name,
            labels={"karpenter.sh/nodepool": pool} if pool else {},
            creation_timestamp=ago(age),
            deletion_timestamp=deleted,
            annotations={"karpenter.sh/nodeclaim-termination-timestamp": stamp} if stamp else {},
        ),
        status=NodeClaimStatus(
            node_name=node_name, conditions=(Condition(type="Launched", status="True", reason="Launched"),)
        ),
    )


def event(
    kind: str, name: str, reason: str, minutes: float, message: str = "", namespace: str = "", source: str = "karpenter"
) -> Event:
    return Event(
        metadata=ObjectMeta(name=f"{name}.{reason}.{minutes}", namespace=namespace or "default"),
        involved_object=InvolvedObject(kind=kind, name=name, namespace=namespace),
        reason=reason,
        message=message,
        first_timestamp=ago(minutes),
        last_timestamp=ago(minutes),
        source=EventSource(component=source),
    )


def karpenter(gates: str | None = "NodeRepair=true", args: tuple[str, ...] = ()) -> Deployment:
    env = () if gates is None else (EnvVar(name="FEATURE_GATES", value=gates),)
    return Deployment(
        metadata=ObjectMeta(name="karpenter", namespace="kube-system"),
        spec=WorkloadSpec(
            template=PodTemplate(spec=TemplateSpec(containers=(Container(name="controller", env=env, args=args),)))
        ),
    )


def pod(
    name: str, node_name: str, *, age: float, owner: str = "ReplicaSet", owner_name: str = "trainer-5d9f7c6b84"
) -> Pod:
    return Pod(
        metadata=ObjectMeta(
            name=name,
            namespace="training",
            creation_timestamp=ago(age),
            owner_references=(OwnerReference(kind=owner, name=owner_name),) if owner else (),
        ),
        spec=PodSpec(node_name=node_name),
    )


def old_dialect(ends: Sequence[float], *, marks: bool = True, message: str = LIBRARY) -> tuple[Event, ...]:
    """What Karpenter 1.4 writes: about nodes, nothing about NodeClaims."""
    told: list[Event] = []
    for turn, end in enumerate(ends):
        name = f"gone-{turn}"
        if marks:
            turned = f"Status: True -> False, Reason: DCGMError, Message: {message}"
            told.append(event("Node", name, "AcceleratedHardwareReady", end + 10, turned))
        told.append(
            event("Node", name, "FailedDraining", end, "Failed to drain node, 1 pods are waiting to be evicted")
        )
        told.append(event("Node", name, "InstanceTerminating", end - 0.1, "Instance is terminating"))
    return tuple(told)


def new_dialect(ends: Sequence[float], life: float = 11, pool: str = "gpu") -> tuple[Event, ...]:
    """What Karpenter 1.14 writes: about NodeClaims, whose names begin with the pool's."""
    told: list[Event] = []
    for turn, end in enumerate(ends):
        name = f"{pool}-{turn}aaaa"
        told.append(event("NodeClaim", name, "Launched", end + life, "Status condition transitioned, Type: Launched"))
        told.append(event("NodeClaim", name, "DisruptionBlocked", end, "Node is deleting or marked for deletion"))
        told.append(event("NodeClaim", name, "Drained", end - 0.1, "Status condition transitioned, Type: Drained"))
    return tuple(told)


def cluster(**sections: Any) -> Snapshot:
    """A cluster in which everything was read and what is not given is empty; policies are those of AWS."""
    empty: dict[str, Any] = dict.fromkeys(_SECTIONS, ())
    known: dict[str, Any] = {
        "at": AT,
        "nodepools": (NodePool(metadata=ObjectMeta(name="gpu")),),
        "repair_policies": load_policies("aws"),
    }
    return Snapshot(**{**empty, **known, **sections})


def ask(check: Check, snapshot: Snapshot) -> list[Finding | Blind]:
    return list(check.run(snapshot)) if check.applies(snapshot) else []


def codes(answers: Iterable[Finding | Blind]) -> set[tuple[str, str]]:
    """(code, subject) of the findings."""
    return {(one.code, str(one.subject)) for one in answers if isinstance(one, Finding)}


def blinds(answers: Iterable[Finding | Blind]) -> list[Blind]:
    return [one for one in answers if isinstance(one, Blind)]


def found(answers: Iterable[Finding | Blind], code: str) -> Finding:
    return next(one for one in answers if isinstance(one, Finding) and one.code == code)


def diagnosed(snapshot: Snapshot, *scope: Ref) -> Diagnosis:
    return diagnose(snapshot, REPLACEMENT, load_knowledge(), scope or (CLUSTER,))
