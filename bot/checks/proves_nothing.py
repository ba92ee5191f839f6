"""What looks like good news beside a dead node, and proves nothing about it?

A dead node's taint takes it out of a DaemonSet's wanted number, so the DaemonSets look complete and the ClusterPolicy
stays ready; a dead kubelet leaves `allocatable` as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bot.checks.check import Answer, Check
from bot.checks.evidence import quoted
from bot.checks.views.components import gpu_operator
from bot.checks.views.gpus import gpu_resources, has_gpu
from bot.checks.views.liveness import dead_kubelets
from bot.checks.views.operands import DEPLOY
from bot.model.findings import Code, Evidence, Finding, Kind, Severity
from bot.model.objects import DaemonSet, Node, ref_of
from bot.model.refs import CLUSTER, Ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot, known

POLICY = Code("clusterpolicy-ready")
DAEMONSETS = Code("daemonsets-complete")
ALLOCATABLE = Code("allocatable-stale")


def _run(snapshot: Snapshot) -> Answer:
    dead = {name: snapshot.node[name] for name in dead_kubelets(snapshot) if name in snapshot.node}
    dead = {name: node for name, node in dead.items() if has_gpu(node)}
    if not dead:
        return
    yield from _policy(snapshot, dead)
    yield from _daemonsets(snapshot, dead)
    for node in dead.values():
        yield from _allocatable(node)


def _good_news(code: Code, subject: Ref, evidence: tuple[Evidence, ...], dead: Mapping[str, Node]) -> Finding:
    return Finding(
        code=code,
        subject=subject,
        kind=Kind.PROVES_NOTHING,
        severity=Severity.INFO,
        evidence=evidence,
        refs={"node": tuple(ref_of(node) for node in dead.values())},
    )


def _policy(snapshot: Snapshot, dead: Mapping[str, Node]) -> Iterator[Finding]:
    for one in known(snapshot.clusterpolicies):
        if one.status.state == "ready":
            yield _good_news(POLICY, ref_of(one), (quoted(ref_of(one), "status.state", "ready"),), dead)


def _daemonsets(snapshot: Snapshot, dead: Mapping[str, Node]) -> Iterator[Finding]:
    """Operand DaemonSets that look complete although a dead node carries their deploy label."""
    lines = [
        line
        for one in sorted(known(snapshot.daemonsets), key=lambda one: str(ref_of(one)))
        if (line := _complete(one, snapshot, dead)) is not None
    ]
    if lines:
        yield _good_news(DAEMONSETS, CLUSTER, tuple(lines), dead)


def _complete(one: DaemonSet, snapshot: Snapshot, dead: Mapping[str, Node]) -> Evidence | None:
    selector = one.spec.template.spec.node_selector
    if not any(key.startswith(DEPLOY) for key in selector):
        return None
    labelled = [node for node in snapshot.node.values() if selector.items() <= node.metadata.labels.items()]
    numbers = one.status
    if numbers.number_ready < numbers.desired_number_scheduled or not any(node.name in dead for node in labelled):
        return None
    quote = (
        f"ready {numbers.number_ready} of {numbers.desired_number_scheduled}, "
        f"misscheduled {numbers.number_misscheduled}, nodes with the deploy label {len(labelled)}"
    )
    return quoted(ref_of(one), "status", quote)


def _allocatable(node: Node) -> Iterator[Finding]:
    about = ref_of(node)
    last = node.ready.last_heartbeat_time if node.ready else None
    stale = [
        quoted(about, f"status.allocatable[{name}]", node.status.allocatable[name], last=last)
        for name in gpu_resources(node)
        if node.status.allocatable.get(name, "0") != "0"
    ]
    if stale:
        yield _good_news(ALLOCATABLE, about, tuple(stale), {node.name: node})


CHECK = Check(
    name="proves-nothing",
    codes=(POLICY, DAEMONSETS, ALLOCATABLE),
    reads=(Section.NODES,),
    also_reads=(Section.LEASES, Section.CLUSTERPOLICIES, Section.DAEMONSETS),
    applies=gpu_operator,
    run=_run,
)
