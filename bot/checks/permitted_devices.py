"""Does KubeVirt permit the devices that the machines ask for, and do the names match what nodes advertise?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from bot.checks.check import Answer, Check
from bot.checks.evidence import quoted
from bot.checks.views.components import kubevirt
from bot.checks.views.demand import Demand, advertisers, demands
from bot.checks.views.gpus import gpu_resources, has_gpu
from bot.checks.views.operands import device_plugins
from bot.checks.views.workload_mode import Mode, effective
from bot.model.findings import Blind, Code, Evidence, Finding, Kind, Severity
from bot.model.objects import KubeVirt, Node, ref_of
from bot.model.refs import CLUSTER, Ref
from bot.model.sections import Section, Unknown
from bot.model.snapshot import Snapshot, known

NOT_PERMITTED = Code("vm-device-not-permitted")
MISMATCH = Code("resource-name-mismatch")
PERMITTED = Code("permitted-devices")
NAMES = Code("resource-names")
_FIELD = "spec.configuration.permittedHostDevices"


def _run(snapshot: Snapshot) -> Answer:
    asking = [demand for demand in demands(snapshot) if demand.resources]
    if not asking:
        return
    yield from _permission(snapshot, asking)
    yield from _names(snapshot, asking)


def _permission(snapshot: Snapshot, asking: list[Demand]) -> Iterator[Finding | Blind]:
    if not known(snapshot.kubevirts):
        # Machines were read, so KubeVirt is here: its configuration was not among what was read.
        yield Blind(
            check="permitted-devices",
            codes=(NOT_PERMITTED, PERMITTED),
            subject=CLUSTER,
            why="kubevirt-not-seen",
            command="kubectl get kubevirts -A -o yaml",
            sections=(Section.KUBEVIRTS,),
            required=False,
        )
        return
    entries = _entries(snapshot)
    refused = [(demand, one) for demand in asking for one in demand.resources if one not in entries]
    for demand, resource in refused:
        yield _not_permitted(snapshot, demand, resource)
    if not refused:
        yield _ruled_out(PERMITTED, snapshot, [entries[one] for one in _asked(asking)])


def _asked(asking: list[Demand]) -> list[str]:
    return sorted({one for demand in asking for one in demand.resources})


def _entries(snapshot: Snapshot) -> Mapping[str, Evidence]:
    """Every permitted resource name, with the entry that permits it."""
    found: dict[str, Evidence] = {}
    for kubevirt_object in known(snapshot.kubevirts):
        devices = kubevirt_object.spec.configuration.permitted_host_devices
        for one in devices.pci_host_devices + devices.mediated_devices:
            selector = one.pci_vendor_selector or one.mdev_name_selector
            external = " externalResourceProvider: true" if one.external_resource_provider else ""
            quote = f"{selector} -> {one.resource_name}{external}"
            found[one.resource_name] = quoted(ref_of(kubevirt_object), _FIELD, quote)
    return found


def _configuration(snapshot: Snapshot) -> Ref:
    objects: list[KubeVirt] = sorted(known(snapshot.kubevirts), key=lambda one: one.name)
    return ref_of(objects[0]) if objects else Ref("kubevirt")


def _not_permitted(snapshot: Snapshot, demand: Demand, resource: str) -> Finding:
    permitted = ", ".join(sorted(_entries(snapshot))) or "none"
    return Finding(
        code=NOT_PERMITTED,
        subject=demand.vm,
        severity=Severity.CRITICAL,
        evidence=(
            quoted(demand.vm, "spec.template.spec.domain.devices", resource),
            quoted(_configuration(snapshot), _FIELD, permitted),
        ),
        values={"resource": resource, "permitted": permitted},
    )


def _ruled_out(code: Code, snapshot: Snapshot, evidence: list[Evidence]) -> Finding:
    return Finding(
        code=code,
        subject=_configuration(snapshot),
        kind=Kind.RULED_OUT,
        severity=Severity.INFO,
        evidence=tuple(evidence),
    )


def _names(snapshot: Snapshot, asking: list[Demand]) -> Iterator[Finding | Blind]:
    """A name that no node has ever advertised is wrong, if nodes advertise others; without any it is not told.

    Neither is it told where a node with a GPU shows no name at all: it may be the one that had it.
    """
    if isinstance(snapshot.nodes, Unknown):
        yield _not_told(_configuration(snapshot), "", (Section.NODES,))
        return
    having = {one: advertisers(snapshot, (one,)) for one in _asked(asking)}
    strange = [(demand, one) for demand in asking for one in demand.resources if not having[one]]
    is_told = not any(_shows_none(snapshot, node) for node in snapshot.node.values())
    offered = _passthrough(snapshot.node.values()) if strange and is_told else ()
    for demand, resource in strange:
        yield _mismatch(demand, resource, offered) if offered else _not_told(demand.vm, resource)
    if not strange:
        having_one = {name: nodes[0] for name, nodes in having.items()}
        seen = [
            quoted(ref_of(one), f"status.capacity[{name}]", one.status.capacity.get(name, "0"))
            for name, one in having_one.items()
        ]
        yield _ruled_out(NAMES, snapshot, seen)


def _not_told(subject: Ref, resource: str, sections: tuple[Section, ...] = ()) -> Blind:
    return Blind(
        check="permitted-devices",
        codes=(MISMATCH,),
        subject=subject,
        why="no-advertiser-seen",
        command="kubectl get nodes -o yaml | grep nvidia.com",
        values={"resource": resource or "nvidia.com/*"},
        sections=sections,
        required=False,
    )


def _passthrough(nodes: Iterable[Node]) -> tuple[str, ...]:
    """What nodes have ever advertised for machines: all but the names that containers use."""
    names = {name for node in nodes for name in gpu_resources(node)}
    return tuple(sorted(one for one in names if not one.startswith(("nvidia.com/gpu", "nvidia.com/mig-"))))


def _shows_none(snapshot: Snapshot, node: Node) -> bool:
    """Whether a node that should give its GPU to machines shows no name for it."""
    is_theirs = has_gpu(node) or bool(device_plugins(snapshot, node.name))
    return is_theirs and not _passthrough((node,)) and effective(snapshot, node) is not Mode.CONTAINER


def _mismatch(demand: Demand, resource: str, offered: tuple[str, ...]) -> Finding:
    return Finding(
        code=MISMATCH,
        subject=demand.vm,
        severity=Severity.CRITICAL,
        evidence=(quoted(demand.vm, "spec.template.spec.domain.devices", resource),),
        values={"resource": resource, "advertised": ", ".join(offered)},
    )


CHECK = Check(
    name="permitted-devices",
    codes=(NOT_PERMITTED, MISMATCH, PERMITTED, NAMES),
    reads=(Section.KUBEVIRTS, Section.VIRTUALMACHINES),
    also_reads=(Section.VIRTUALMACHINEINSTANCES, Section.NODES, Section.PODS, Section.CLUSTERPOLICIES),
    of_all=(NOT_PERMITTED, MISMATCH),
    applies=kubevirt,
    run=_run,
)
