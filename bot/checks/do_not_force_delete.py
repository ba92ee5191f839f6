"""What must not be deleted by force on a dead node that nobody has fenced?

A dead kubelet stops nothing: the containers and machines there may run on. A forced delete lets a second copy start
elsewhere, on the same disk (kubevirt/kubevirt#8104).
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.checks.check import Answer, Check, unread
from bot.checks.evidence import quoted, stamp
from bot.checks.views.liveness import WITNESSES, dead_kubelets, is_told
from bot.checks.views.machines import instances_on
from bot.checks.views.operands import is_stuck
from bot.model.findings import Code, Evidence, Finding, Kind, Severity
from bot.model.objects import Pod, ref_of
from bot.model.refs import node as node_ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot

DO_NOT = Code("do-not-force-delete")
#: Whoever sets this taint asserts that the machine is off.
FENCED = "node.kubernetes.io/out-of-service"


def _run(snapshot: Snapshot) -> Answer:
    if not is_told(snapshot):
        yield unread("do-not-force-delete", (DO_NOT,), snapshot, WITNESSES)
    for name in dead_kubelets(snapshot):
        node = snapshot.node.get(name)
        if node is not None and any(taint.key == FENCED for taint in node.spec.taints):
            continue
        pods = [pod for pod in snapshot.pods_by_node.get(name, ()) if is_stuck(pod, snapshot.at) or _is_launcher(pod)]
        pods.sort(key=lambda pod: str(ref_of(pod)))
        evidence = (*_of_pods(pods), *_of_instances(snapshot, name))
        if evidence:
            yield Finding(
                code=DO_NOT,
                subject=node_ref(name),
                kind=Kind.DO_NOT,
                severity=Severity.CRITICAL,
                evidence=evidence,
                refs={"pod": tuple(ref_of(pod) for pod in pods)},
            )


def _is_launcher(pod: Pod) -> bool:
    ended = pod.status.phase in ("Succeeded", "Failed")
    return pod.metadata.labels.get("kubevirt.io") == "virt-launcher" and not ended


def _of_pods(pods: list[Pod]) -> Iterator[Evidence]:
    for pod in pods:
        when = pod.metadata.deletion_timestamp
        if when is not None:
            yield quoted(ref_of(pod), "metadata.deletionTimestamp", stamp(when), first=when)
        else:
            yield quoted(ref_of(pod), "spec.nodeName", pod.spec.node_name)


def _of_instances(snapshot: Snapshot, name: str) -> Iterator[Evidence]:
    for instance in instances_on(snapshot, name):
        yield quoted(ref_of(instance), "status.nodeName", name)


CHECK = Check(
    name="do-not-force-delete",
    codes=(DO_NOT,),
    reads=(Section.PODS,),
    also_reads=(*WITNESSES, Section.VIRTUALMACHINEINSTANCES),
    run=_run,
)
