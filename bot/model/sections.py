"""The kinds of objects that the bot reads, and what a failed read of one looks like."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Section(StrEnum):
    """One part of a snapshot; the value is the field of `Snapshot` and the plural name of the resource."""

    NODES = "nodes"
    LEASES = "leases"
    PODS = "pods"
    EVENTS = "events"
    DAEMONSETS = "daemonsets"
    DEPLOYMENTS = "deployments"
    VIRTUALMACHINES = "virtualmachines"
    VIRTUALMACHINEINSTANCES = "virtualmachineinstances"
    KUBEVIRTS = "kubevirts"
    CLUSTERPOLICIES = "clusterpolicies"
    NODECLAIMS = "nodeclaims"
    NODEPOOLS = "nodepools"


class Resource(msgspec.Struct, frozen=True):
    """Where the API server serves a section."""

    section: Section
    kind: str
    version: str
    group: str = ""
    namespaced: bool = True

    @property
    def api_version(self) -> str:
        """`v1`, `apps/v1`, ..."""
        return f"{self.group}/{self.version}" if self.group else self.version


RESOURCES: dict[Section, Resource] = {
    resource.section: resource
    for resource in (
        Resource(Section.NODES, "Node", "v1", namespaced=False),
        Resource(Section.LEASES, "Lease", "v1", "coordination.k8s.io"),
        Resource(Section.PODS, "Pod", "v1"),
        Resource(Section.EVENTS, "Event", "v1"),
        Resource(Section.DAEMONSETS, "DaemonSet", "v1", "apps"),
        Resource(Section.DEPLOYMENTS, "Deployment", "v1", "apps"),
        Resource(Section.VIRTUALMACHINES, "VirtualMachine", "v1", "kubevirt.io"),
        Resource(Section.VIRTUALMACHINEINSTANCES, "VirtualMachineInstance", "v1", "kubevirt.io"),
        Resource(Section.KUBEVIRTS, "KubeVirt", "v1", "kubevirt.io"),
        Resource(Section.CLUSTERPOLICIES, "ClusterPolicy", "v1", "nvidia.com", namespaced=False),
        Resource(Section.NODECLAIMS, "NodeClaim", "v1", "karpenter.sh", namespaced=False),
        Resource(Section.NODEPOOLS, "NodePool", "v1", "karpenter.sh", namespaced=False),
    )
}


class UnknownReason(StrEnum):
    """Why a section is not known."""

    FORBIDDEN = "forbidden"
    FAILED = "failed"
    NOT_COLLECTED = "not-collected"


class Unknown(msgspec.Struct, frozen=True):
    """A section that could not be read: nothing may be concluded from it, neither good nor bad.

    `detail` is a reason of the catalogue, with a detail of its own behind it where it has one (`reply-unreadable X`),
    or the server's words.
    """

    reason: UnknownReason
    detail: str = ""

    @property
    def why(self) -> str:
        """The reason of the catalogue that says it, with the blanks of `about`."""
        return f"section-{self.reason.value}"

    def about(self, section: str) -> dict[str, str]:
        """The values of `why`, for the section that it stands in the place of."""
        return {"section": str(section), "detail": self.detail or "-"}


class NotInstalled(msgspec.Struct, frozen=True):
    """The cluster does not serve this resource: a fact, and the component's checks do not apply."""

    resource: str = ""


class UnreadableObject(msgspec.Struct, frozen=True):
    """One object that does not decode; the rest of its page was read."""

    section: Section
    name: str
    namespace: str = ""
    detail: str = ""
