"""What the findings so far make worth looking at: suspect nodes, and the logs of containers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from bot.app.scope import pods_of
from bot.model.diagnosis import Diagnosis
from bot.model.findings import Finding, Kind
from bot.model.objects import ContainerStatus, Pod
from bot.model.refs import CLUSTER, Ref
from bot.model.snapshot import Snapshot, known

#: Logs fetched for one question.
LOGS = 12
_STILL_STARTING = frozenset({"ContainerCreating", "PodInitializing"})


class LogLead(msgspec.Struct, frozen=True):
    """The log of one container that may hold the cause."""

    pod: Ref
    container: str
    previous: bool = False


def spoken_of(diagnosis: Diagnosis) -> tuple[Finding, ...]:
    """The findings that the answer rests on; for the whole cluster those that nothing explains, too."""
    keys = {root.finding.key for root in diagnosis.roots}
    keys |= {end for link in diagnosis.links for end in (link.cause, link.effect)} | set(diagnosis.affected)
    if CLUSTER in diagnosis.scope:
        keys |= set(diagnosis.not_examined)
    return tuple(one for one in diagnosis.findings if one.kind is Kind.FAULT and one.key in keys)


def suspect_nodes(scope: Iterable[Ref], findings: Iterable[Finding]) -> tuple[str, ...]:
    """Names of the nodes asked about, then of those that the findings are about or refer to."""
    asked = [ref.name for ref in scope if ref.kind == "node"]
    found = {ref.name for ref in mentioned(findings) if ref.kind == "node"}
    return tuple(dict.fromkeys([*asked, *sorted(found)]))


def mentioned(findings: Iterable[Finding]) -> frozenset[Ref]:
    """Subjects of the findings and what they refer to."""
    return frozenset(ref for one in findings for ref in (one.subject, *(r for refs in one.refs.values() for r in refs)))


def log_leads(
    scope: Iterable[Ref], nodes: Iterable[str], findings: Iterable[Finding], snapshot: Snapshot
) -> tuple[LogLead, ...]:
    """Containers whose logs to read, the most telling first, at most `LOGS`.

    A finding asks for the logs of a pod by being about it or by referring to it. Besides these, failing containers
    of the pods asked about and of pods on suspect nodes are read, unless the node's kubelet is silent: nobody else
    can serve their logs.
    """
    named = {ref for ref in mentioned(findings) if ref.kind == "pod"}
    pods: dict[Ref, Pod] = {}
    for pod in known(snapshot.pods):
        ref = Ref("pod", pod.name, pod.namespace)
        if ref in named:
            pods[ref] = pod
    for pod in (*(pod for ref in scope for pod in pods_of(ref, snapshot)), *_on(nodes, snapshot)):
        pods.setdefault(Ref("pod", pod.name, pod.namespace), pod)
    leads: list[LogLead] = []
    for ref, pod in pods.items():
        if not _silent(pod, snapshot):
            leads += _leads(ref, pod, whole=ref in named)
    return tuple(dict.fromkeys(leads))[:LOGS]


def _on(nodes: Iterable[str], snapshot: Snapshot) -> Iterator[Pod]:
    return (pod for name in nodes for pod in snapshot.pods_by_node.get(name, ()))


def _silent(pod: Pod, snapshot: Snapshot) -> bool:
    host = snapshot.node.get(pod.spec.node_name)
    return host is not None and host.ready is not None and host.ready.status == "Unknown"


def _leads(ref: Ref, pod: Pod, *, whole: bool) -> Iterator[LogLead]:
    for status in pod.status.init_container_statuses + pod.status.container_statuses:
        failing = _failing(status)
        if failing or whole:
            yield LogLead(ref, status.name)
        if failing and status.restart_count:
            yield LogLead(ref, status.name, previous=True)


def _failing(status: ContainerStatus) -> bool:
    if status.state.waiting is not None:
        return status.state.waiting.reason not in _STILL_STARTING or status.restart_count > 0
    if status.state.terminated is not None:
        return status.state.terminated.exit_code != 0
    return not status.ready and status.restart_count > 0
