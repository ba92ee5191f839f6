"""Which resources the simulated server can serve, and how each differs where the API differs."""

from __future__ import annotations

from typing import Any

import msgspec

from bot.model.sections import RESOURCES, Section

Json = dict[str, Any]


class ResourceType(msgspec.Struct, frozen=True):
    """One resource of the API.

    Attributes:
        status: it has a status subresource, so that a write to the object leaves the status as it was.
        unconditional: it may be replaced without a resourceVersion.
        generations: `metadata.generation` counts the changes of its spec.
    """

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool = True
    status: bool = True
    unconditional: bool = True
    generations: bool = False

    @property
    def custom(self) -> bool:
        """Whether a CustomResourceDefinition brings it."""
        return "." in self.group and not self.group.endswith(".k8s.io")

    @property
    def api_version(self) -> str:
        """`v1`, `apps/v1`, ..."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def qualified(self) -> str:
        """The name that errors use: `nodes`, `nodepools.karpenter.sh`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural


def _of_section(section: Section) -> ResourceType:
    one = RESOURCES[section]
    custom = "." in one.group and not one.group.endswith(".k8s.io")
    return ResourceType(
        one.group,
        one.version,
        section.value,
        one.kind,
        one.namespaced,
        # VirtualMachineInstance has no status subresource (kubevirt.io CRD v1).
        status=section not in (Section.LEASES, Section.EVENTS, Section.VIRTUALMACHINEINSTANCES),
        # Measured on 1.36: a Lease or a custom object without a resourceVersion is refused.
        unconditional=not custom and section is not Section.LEASES,
        generations=custom or one.group == "apps" or section is Section.PODS,
    )


#: Everything that can be served; custom ones only once they are installed.
TYPES: tuple[ResourceType, ...] = (
    ResourceType("", "v1", "namespaces", "Namespace", namespaced=False),
    ResourceType("", "v1", "configmaps", "ConfigMap", status=False),
    ResourceType("apps", "v1", "replicasets", "ReplicaSet", generations=True),
    ResourceType("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", generations=True),
    *(_of_section(section) for section in RESOURCES),
)


def of_kind(api_version: str, kind: str) -> ResourceType | None:
    """The type of an object, whatever its version."""
    group = api_version.rpartition("/")[0]
    return next((one for one in TYPES if (one.group, one.kind) == (group, kind)), None)
