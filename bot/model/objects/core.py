"""Objects of Kubernetes itself: nodes, leases, pods, events, workloads."""

from __future__ import annotations

from datetime import datetime

from bot.model.objects.meta import Condition, KubeObject, KubeStruct, condition


class Taint(KubeStruct, frozen=True, kw_only=True):
    """An entry of a node's `spec.taints`."""

    key: str
    effect: str = ""
    time_added: datetime | None = None


class NodeSpec(KubeStruct, frozen=True, kw_only=True):
    """A node's `spec`."""

    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False


class NodeSystemInfo(KubeStruct, frozen=True, kw_only=True):
    """A node's `status.nodeInfo`."""

    architecture: str = ""
    boot_id: str = ""
    os_image: str = ""


class NodeStatus(KubeStruct, frozen=True, kw_only=True):
    """A node's `status`; quantities are strings as the API writes them."""

    capacity: dict[str, str] = {}
    allocatable: dict[str, str] = {}
    conditions: tuple[Condition, ...] = ()
    node_info: NodeSystemInfo = NodeSystemInfo()


class Node(KubeObject, frozen=True, kw_only=True):
    """v1 Node."""

    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()

    @property
    def ready(self) -> Condition | None:
        """The Ready condition; one that says none of the three statuses is none."""
        one = condition(self.status.conditions, "Ready")
        return one if one is not None and one.status in ("True", "False", "Unknown") else None


class LeaseSpec(KubeStruct, frozen=True, kw_only=True):
    """A Lease's `spec`."""

    renew_time: datetime | None = None
    lease_duration_seconds: int | None = None


class Lease(KubeObject, frozen=True, kw_only=True):
    """coordination.k8s.io/v1 Lease; the kubelet's is named after the node, in `kube-node-lease`."""

    spec: LeaseSpec = LeaseSpec()


class ResourceRequirements(KubeStruct, frozen=True, kw_only=True):
    """A container's `resources`."""

    requests: dict[str, str] = {}


class EnvVar(KubeStruct, frozen=True, kw_only=True):
    """A container's environment variable; a `valueFrom` is not followed."""

    name: str
    value: str = ""


class Container(KubeStruct, frozen=True, kw_only=True):
    """An entry of `spec.containers`."""

    name: str = ""
    image: str = ""
    env: tuple[EnvVar, ...] = ()
    args: tuple[str, ...] = ()
    resources: ResourceRequirements = ResourceRequirements()


class PodSpec(KubeStruct, frozen=True, kw_only=True):
    """A pod's `spec`."""

    node_name: str = ""
    node_selector: dict[str, str] = {}
    containers: tuple[Container, ...] = ()


class Waiting(KubeStruct, frozen=True, kw_only=True):
    """A container's `state.waiting`."""

    reason: str = ""


class Terminated(KubeStruct, frozen=True, kw_only=True):
    """A container's `state.terminated`."""

    exit_code: int = 0
    reason: str = ""
    finished_at: datetime | None = None


class ContainerState(KubeStruct, frozen=True, kw_only=True):
    """A container's `state` or `lastState`."""

    waiting: Waiting | None = None
    terminated: Terminated | None = None


class ContainerStatus(KubeStruct, frozen=True, kw_only=True):
    """An entry of `status.containerStatuses`."""

    name: str = ""
    ready: bool = False
    restart_count: int = 0
    state: ContainerState = ContainerState()
    last_state: ContainerState = ContainerState()
    """Only its times are read: by whoever looks for the newest moment of a dump."""


class PodStatus(KubeStruct, frozen=True, kw_only=True):
    """A pod's `status`."""

    phase: str = ""
    conditions: tuple[Condition, ...] = ()
    container_statuses: tuple[ContainerStatus, ...] = ()
    init_container_statuses: tuple[ContainerStatus, ...] = ()


class Pod(KubeObject, frozen=True, kw_only=True):
    """v1 Pod."""

    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()


class InvolvedObject(KubeStruct, frozen=True, kw_only=True):
    """What an event is about."""

    kind: str = ""
    name: str = ""
    namespace: str = ""


class EventSource(KubeStruct, frozen=True, kw_only=True):
    """The component that wrote an event, in the older field."""

    component: str = ""


class EventSeries(KubeStruct, frozen=True, kw_only=True):
    """How often an event of the newer form came again."""

    count: int = 0
    last_observed_time: datetime | None = None


class Event(KubeObject, frozen=True, kw_only=True):
    """v1 Event, in its older form (`firstTimestamp`, `count`) and its newer one (`eventTime`, `series`)."""

    involved_object: InvolvedObject = InvolvedObject()
    reason: str = ""
    message: str = ""
    type: str = ""
    count: int = 0
    first_timestamp: datetime | None = None
    last_timestamp: datetime | None = None
    event_time: datetime | None = None
    series: EventSeries | None = None
    source: EventSource = EventSource()
    reporting_component: str = ""

    @property
    def first(self) -> datetime | None:
        """When it was first seen."""
        return self.first_timestamp or self.event_time or self.metadata.creation_timestamp

    @property
    def last(self) -> datetime | None:
        """When it was last seen."""
        return (self.series and self.series.last_observed_time) or self.last_timestamp or self.first

    @property
    def times(self) -> int:
        """How often it was seen, at least once."""
        return max(self.count, self.series.count if self.series else 0, 1)


class ConfigMapVolume(KubeStruct, frozen=True, kw_only=True):
    """A volume's `configMap`."""

    name: str = ""


class Volume(KubeStruct, frozen=True, kw_only=True):
    """An entry of `spec.volumes`, as far as it is a ConfigMap."""

    name: str = ""
    config_map: ConfigMapVolume | None = None


class TemplateSpec(PodSpec, frozen=True, kw_only=True):
    """The `spec` of a template; volumes are read here only, a cluster's pods have too many of them."""

    volumes: tuple[Volume, ...] = ()


class PodTemplate(KubeStruct, frozen=True, kw_only=True):
    """The `spec.template` of a workload."""

    spec: TemplateSpec = TemplateSpec()


class WorkloadSpec(KubeStruct, frozen=True, kw_only=True):
    """The `spec` of a DaemonSet or Deployment."""

    replicas: int = 1
    template: PodTemplate = PodTemplate()


class DaemonSetStatus(KubeStruct, frozen=True, kw_only=True):
    """A DaemonSet's `status`: numbers of nodes."""

    desired_number_scheduled: int = 0
    number_ready: int = 0
    number_misscheduled: int = 0
    observed_generation: int = 0
    updated_number_scheduled: int = 0


class DaemonSet(KubeObject, frozen=True, kw_only=True):
    """apps/v1 DaemonSet."""

    spec: WorkloadSpec = WorkloadSpec()
    status: DaemonSetStatus = DaemonSetStatus()


class DeploymentStatus(KubeStruct, frozen=True, kw_only=True):
    """A Deployment's `status`: numbers of pods."""

    replicas: int = 0
    available_replicas: int = 0
    observed_generation: int = 0
    updated_replicas: int = 0


class Deployment(KubeObject, frozen=True, kw_only=True):
    """apps/v1 Deployment."""

    spec: WorkloadSpec = WorkloadSpec()
    status: DeploymentStatus = DeploymentStatus()


class ConfigMap(KubeObject, frozen=True, kw_only=True):
    """v1 ConfigMap."""

    data: dict[str, str] = {}
