"""The workloads that the probes are asked about, and the snapshot of a DaemonSet or a Deployment in any state."""

from __future__ import annotations

from bot.model.objects import Container, DaemonSet, Deployment, ObjectMeta
from bot.model.objects.core import (
    ConfigMapVolume,
    DaemonSetStatus,
    DeploymentStatus,
    EnvVar,
    PodTemplate,
    TemplateSpec,
    Volume,
    WorkloadSpec,
)
from bot.model.refs import Ref

AGENT = Ref("ds", "agent", "kube-system")
KARPENTER = Ref("deploy", "karpenter", "kube-system")
POOL = Ref("nodepool", "gpu")
CONFIG = Ref("configmap", "agent-monitor-config", "kube-system")


def daemonset(
    generation: int = 2,
    observed: int = 2,
    updated: int = 3,
    is_ready: int = 3,
    image: str = "agent:1.6",
    mounts: str = "",
) -> DaemonSet:
    volumes = (Volume(name="monitor-config", config_map=ConfigMapVolume(name=mounts)),) if mounts else ()
    template = PodTemplate(spec=TemplateSpec(containers=(Container(name="agent", image=image),), volumes=volumes))
    return DaemonSet(
        kind="DaemonSet",
        metadata=ObjectMeta(name="agent", namespace="kube-system", generation=generation),
        spec=WorkloadSpec(template=template),
        status=DaemonSetStatus(
            desired_number_scheduled=3,
            number_ready=is_ready,
            observed_generation=observed,
            updated_number_scheduled=updated,
        ),
    )


def deployment(
    gates: str | None = "NodeRepair=true,Other=false",
    args: tuple[str, ...] = (),
    generation: int = 2,
    observed: int = 2,
    pods: tuple[int, int, int] = (2, 2, 2),
) -> Deployment:
    env = () if gates is None else (EnvVar(name="FEATURE_GATES", value=gates),)
    controller = Container(name="controller", env=env, args=args)
    replicas, updated, available = pods
    return Deployment(
        kind="Deployment",
        metadata=ObjectMeta(name="karpenter", namespace="kube-system", generation=generation),
        spec=WorkloadSpec(replicas=2, template=PodTemplate(spec=TemplateSpec(containers=(controller,)))),
        status=DeploymentStatus(
            replicas=replicas, available_replicas=available, observed_generation=observed, updated_replicas=updated
        ),
    )
