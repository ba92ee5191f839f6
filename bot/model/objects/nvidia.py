"""The GPU Operator's objects."""

from __future__ import annotations

from bot.model.objects.meta import Condition, KubeObject, KubeStruct


class SandboxWorkloads(KubeStruct, frozen=True, kw_only=True):
    """ClusterPolicy `spec.sandboxWorkloads`: whether GPUs may go to virtual machines; absent, None, means off."""

    enabled: bool | None = None
    default_workload: str = "container"


class Switch(KubeStruct, frozen=True, kw_only=True):
    """An operand's `enabled`; the CRD's default differs by operand, so absent is None."""

    enabled: bool | None = None


class ClusterPolicySpec(KubeStruct, frozen=True, kw_only=True):
    """A ClusterPolicy's `spec`."""

    sandbox_workloads: SandboxWorkloads = SandboxWorkloads()
    driver: Switch = Switch()


class ClusterPolicyStatus(KubeStruct, frozen=True, kw_only=True):
    """A ClusterPolicy's `status`."""

    state: str = ""
    conditions: tuple[Condition, ...] = ()


class ClusterPolicy(KubeObject, frozen=True, kw_only=True):
    """nvidia.com/v1 ClusterPolicy."""

    spec: ClusterPolicySpec = ClusterPolicySpec()
    status: ClusterPolicyStatus = ClusterPolicyStatus()
