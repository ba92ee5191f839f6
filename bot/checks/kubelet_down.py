"""Is the kubelet alive, and if not, did only the kubelet die?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from bot.checks.check import Answer, Check, unread
from bot.checks.evidence import quoted
from bot.checks.views.liveness import (
    SKEW,
    WITNESSES,
    contradicts,
    dead_kubelets,
    is_back,
    is_told,
    untold_kubelets,
)
from bot.model.findings import Blind, Code, Finding, Kind, Severity
from bot.model.objects.virt import HEARTBEAT
from bot.model.refs import Ref
from bot.model.refs import node as node_ref
from bot.model.snapshot import Snapshot

DOWN = Code("kubelet-down")
ONLY_KUBELET = Code("only-kubelet-died")
#: virt-handler writes its heartbeat every minute to about two, by its own account and not through the kubelet.
FRESH = timedelta(minutes=5)


def _run(snapshot: Snapshot) -> Answer:
    if not is_told(snapshot):
        yield unread("kubelet-down", (DOWN,), snapshot, WITNESSES)
        return
    for name, death in dead_kubelets(snapshot).items():
        yield Finding(
            code=DOWN,
            subject=node_ref(name),
            severity=Severity.CRITICAL,
            onset=death.onset,
            evidence=death.evidence,
        )
        yield _what_died(snapshot, name)
    yield from _contradictions(snapshot)
    for name in untold_kubelets(snapshot):
        yield _untold(snapshot, name)


def _untold(snapshot: Snapshot, name: str) -> Blind:
    if name in snapshot.node or not isinstance(snapshot.nodes, tuple):
        command = f"kubectl get lease -n kube-node-lease {name} -w"
        return _open(node_ref(name), (DOWN,), "kubelet-not-told", command, required=True)
    return _open(node_ref(name), (DOWN,), "node-not-listed", f"kubectl get node {name}", required=True)


def _what_died(snapshot: Snapshot, name: str) -> Finding | Blind:
    """A fresh heartbeat of virt-handler means that host and network live (kubevirt/kubevirt#8104)."""
    node = snapshot.node.get(name)
    told = node.metadata.annotations.get(HEARTBEAT, "") if node else ""
    beat = _moment(told)
    if beat is None or not -SKEW <= snapshot.at - beat <= FRESH:
        return _open(node_ref(name), (ONLY_KUBELET,), "what-died-not-told", f"ssh {name} uptime")
    return Finding(
        code=ONLY_KUBELET,
        subject=node_ref(name),
        kind=Kind.FACT,
        severity=Severity.INFO,
        evidence=(quoted(node_ref(name), f"metadata.annotations[{HEARTBEAT}]", told, last=beat),),
        values={"heartbeat": beat},
    )


def _contradictions(snapshot: Snapshot) -> Iterator[Blind]:
    for name, node in snapshot.node.items():
        lease = snapshot.lease.get(name)
        command = f"kubectl get lease -n kube-node-lease {name} -w"
        if contradicts(node, lease, snapshot.at):
            yield _open(node_ref(name), (DOWN,), "lease-old-node-ready", command, required=True)
        elif node.ready and node.ready.status == "Unknown" and is_back(node.ready, lease, snapshot.at):
            yield _open(node_ref(name), (DOWN,), "kubelet-just-back", command, required=True)


def _open(subject: Ref, codes: tuple[Code, ...], why: str, command: str, required: bool = False) -> Blind:
    return Blind(check="kubelet-down", codes=codes, subject=subject, why=why, command=command, required=required)


def _moment(text: str) -> datetime | None:
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return None
    return when if when.tzinfo else None


CHECK = Check(
    name="kubelet-down",
    codes=(DOWN, ONLY_KUBELET),
    reads=(),
    # Pods only tell of nodes that the list lacks; without them nothing that is listed is less known.
    also_reads=WITNESSES,
    run=_run,
)
