"""What is Karpenter's in this cluster: its pools, which machine belongs to which, and whether its node repair is on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum

import msgspec

from bot.model.findings import Evidence
from bot.model.objects import Container, Deployment, Event, KubeObject, Node, NodeClaim, ref_of
from bot.model.refs import Ref
from bot.model.sections import NotInstalled
from bot.model.snapshot import Snapshot, known

POOL_LABEL = "karpenter.sh/nodepool"
#: Karpenter's event `Nominated` about a pod names the machine that it made for it.
NOMINATED = re.compile(r"Pod should schedule on: nodeclaim/([^,\s]+)")
_NODEGROUP_LABEL = "eks.amazonaws.com/nodegroup"
_GATE = re.compile(r"\bNodeRepair=(true|false)\b", re.IGNORECASE)
_GATES_FLAG = re.compile(r"^--feature-gates[= ](.*)$")


class Gate(StrEnum):
    """Whether Karpenter's feature gate `NodeRepair` is on."""

    ON = "on"
    OFF = "off"
    UNKNOWN = "unknown"


class GateReading(msgspec.Struct, frozen=True):
    """The gate, and the field of the Deployment that says so; `values` are what a change of it needs to know."""

    state: Gate
    evidence: tuple[Evidence, ...] = ()
    deployment: Ref | None = None
    values: Mapping[str, str] = {}


def karpenter_seen(snapshot: Snapshot) -> bool:
    """Whether anything here is Karpenter's; without it none of its checks applies."""
    if isinstance(snapshot.nodeclaims, NotInstalled) and isinstance(snapshot.nodepools, NotInstalled):
        return False
    return bool(
        known(snapshot.nodepools)
        or known(snapshot.nodeclaims)
        or any(POOL_LABEL in node.metadata.labels for node in known(snapshot.nodes))
        or any(by_karpenter(event) for event in known(snapshot.events))
    )


def by_karpenter(event: Event) -> bool:
    """Whether Karpenter wrote this event."""
    return "karpenter" in (event.source.component, event.reporting_component)


def pool_of(thing: Node | NodeClaim) -> Ref | None:
    """The NodePool of a machine; a NodeClaim that has none stands for itself, other machines have none."""
    name = thing.metadata.labels.get(POOL_LABEL)
    if name:
        return Ref("nodepool", name)
    if isinstance(thing, NodeClaim):
        return ref_of(thing)
    return next(
        (Ref("nodeclaim", own.name) for own in thing.metadata.owner_references if own.kind == "NodeClaim"), None
    )


def group_of(node: Node) -> Ref | None:
    """What a node shares image and configuration with: its NodePool, else its EKS managed node group."""
    group = node.metadata.labels.get(_NODEGROUP_LABEL)
    return pool_of(node) or (Ref("nodegroup", group) if group else None)


def members(snapshot: Snapshot, pool: Ref) -> tuple[Node, ...]:
    """The nodes that Karpenter counts for this pool; without a pool it counts the whole cluster.

    Source: node health controller of kubernetes-sigs/karpenter, v1.14.1.
    """
    nodes = known(snapshot.nodes)
    return nodes if pool.kind == "nodeclaim" else tuple(node for node in nodes if pool_of(node) == pool)


def node_repair_gate(snapshot: Snapshot) -> GateReading:
    """Read the gate where Karpenter itself reads it: from its Deployment's environment and arguments.

    Helm values are not read: what runs is what the Deployment says. A gate that is not listed is off, its default
    (karpenter.sh, feature gates).
    """
    for deployment in sorted(known(snapshot.deployments), key=lambda one: (one.namespace, one.name)):
        if not _is_karpenter(deployment):
            continue
        for container, field, text in _gate_texts(deployment):
            if not text:
                return GateReading(Gate.UNKNOWN)
            hit = _GATE.search(text)
            state = Gate.ON if hit and hit[1].lower() == "true" else Gate.OFF
            about = ref_of(deployment)
            quote = Evidence(source="kubernetes", object=about, field=field, quote=text)
            return GateReading(state, (quote,), about, _to_change(container, text, is_env=field.endswith("]")))
    return GateReading(Gate.UNKNOWN)


def _to_change(container: Container, text: str, *, is_env: bool) -> Mapping[str, str]:
    """Where the gates stand; a flag is no environment variable, so there is nothing that a variable could change."""
    values = {
        "container": container.name if is_env else "",
        "gates": text if is_env else "",
        "version": container.image.partition("@")[0].rpartition(":")[2] if ":" in container.image else "",
        "cluster-name": next((one.value for one in container.env if one.name == "CLUSTER_NAME"), ""),
    }
    return {key: value for key, value in values.items() if value}


def _is_karpenter(thing: KubeObject) -> bool:
    return thing.name == "karpenter" or thing.metadata.labels.get("app.kubernetes.io/name") == "karpenter"


def _gate_texts(deployment: Deployment) -> Iterator[tuple[Container, str, str]]:
    """(container, field, value) of whatever sets the gates; a flag wins over the environment, as in Karpenter."""
    containers = deployment.spec.template.spec.containers
    for container in containers:
        for arg in container.args:
            if hit := _GATES_FLAG.match(arg):
                yield container, f"spec.template.spec.containers[{container.name}].args", hit[1]
    for container in containers:
        for variable in container.env:
            if variable.name == "FEATURE_GATES":
                yield (
                    container,
                    f"spec.template.spec.containers[{container.name}].env[FEATURE_GATES]",
                    variable.value,
                )
