"""Does a node with a dead kubelet still offer its GPUs?

The device plugin advertises through the kubelet, so it cannot. The numbers in `allocatable` stay as they were and
prove nothing; what is seen are the plugin's pods, whose readiness the node controller takes away.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.checks.check import Answer, Check, unread
from bot.checks.evidence import of_condition, quoted
from bot.checks.views.gpus import gpu_resources, has_gpu
from bot.checks.views.liveness import WITNESSES, dead_kubelets, is_told, untold_kubelets
from bot.checks.views.operands import device_plugins, is_not_ready, is_stuck
from bot.model.findings import Blind, Code, Evidence, Finding, Onset, Severity
from bot.model.objects import Node, Pod, condition, ref_of
from bot.model.refs import node as node_ref
from bot.model.sections import Section, Unknown
from bot.model.snapshot import Snapshot

NOT_OFFERED = Code("gpu-not-offered")
LABELS_GONE = Code("nfd-labels-gone")
_DISCOVERED = ("nvidia.com/gpu.present", "feature.node.kubernetes.io/pci-")


def _run(snapshot: Snapshot) -> Answer:
    if not is_told(snapshot):
        yield unread("gpu-not-offered", (NOT_OFFERED,), snapshot, WITNESSES)
        return
    for name in dead_kubelets(snapshot):
        node = snapshot.node.get(name)
        plugins = device_plugins(snapshot, name)
        if plugins or node is None or has_gpu(node):
            yield _answer(snapshot, name, plugins)
        if node is not None:
            yield from _labels(snapshot, node)
    for name in untold_kubelets(snapshot):
        node = snapshot.node.get(name)
        if node is None or has_gpu(node) or device_plugins(snapshot, name):
            command = f"kubectl get lease -n kube-node-lease {name} -w"
            yield _not_told(name, why="kubelet-not-told", command=command)


def _answer(snapshot: Snapshot, name: str, plugins: tuple[Pod, ...]) -> Finding | Blind:
    silent = [pod for pod in plugins if is_not_ready(pod) or is_stuck(pod, snapshot.at)]
    gone = isinstance(snapshot.pods, tuple) and not plugins and name in snapshot.node
    if silent or gone:
        return _finding(snapshot, name, silent)
    return _not_told(
        name,
        why="plugin-not-told",
        command=f"kubectl get pods -A --field-selector spec.nodeName={name}",
        sections=(Section.PODS,) if isinstance(snapshot.pods, Unknown) else (),
    )


def _not_told(name: str, *, why: str, command: str, sections: tuple[Section, ...] = ()) -> Blind:
    return Blind(
        check="gpu-not-offered",
        codes=(NOT_OFFERED,),
        subject=node_ref(name),
        why=why,
        command=command,
        sections=sections,
    )


def _finding(snapshot: Snapshot, name: str, silent: list[Pod]) -> Finding:
    node = snapshot.node.get(name)
    resources = gpu_resources(node) if node else {}
    beats = [
        pod_ready.last_transition_time for pod in silent if (pod_ready := condition(pod.status.conditions, "Ready"))
    ]
    since = min((when for when in beats if when), default=None)
    return Finding(
        code=NOT_OFFERED,
        subject=node_ref(name),
        severity=Severity.CRITICAL,
        onset=Onset(since, "pod status.conditions[Ready].lastTransitionTime") if since else None,
        evidence=(*_of_pods(silent), *_stale_numbers(node, resources)),
        values={"resource": ", ".join(resources) or "?"},
        refs={"pod": tuple(ref_of(pod) for pod in silent)},
    )


def _of_pods(pods: list[Pod]) -> Iterator[Evidence]:
    for pod in pods:
        ready = condition(pod.status.conditions, "Ready")
        if ready is not None:
            yield of_condition(ref_of(pod), ready)


def _stale_numbers(node: Node | None, resources: dict[str, str]) -> Iterator[Evidence]:
    last = node.ready.last_heartbeat_time if node and node.ready else None
    for resource, number in resources.items():
        if node is not None:
            yield quoted(ref_of(node), f"status.capacity[{resource}]", number, last=last)


def _labels(snapshot: Snapshot, node: Node) -> Iterator[Finding]:
    """Only what is seen: NFD >= 0.16.3 keeps a dead node's labels (kubernetes-sigs/node-feature-discovery#1752).

    Where no other node has such labels, nothing discovers features here, and none are gone.
    """
    labels = node.metadata.labels
    if gpu_resources(node) and not _discovered(node) and any(_discovered(one) for one in snapshot.node.values()):
        yield Finding(
            code=LABELS_GONE,
            subject=ref_of(node),
            severity=Severity.WARNING,
            evidence=(quoted(ref_of(node), "metadata.labels", ", ".join(sorted(labels))[:200]),),
        )


def _discovered(node: Node) -> bool:
    return any(label.startswith(_DISCOVERED) for label in node.metadata.labels)


CHECK = Check(
    name="gpu-not-offered",
    codes=(NOT_OFFERED, LABELS_GONE),
    reads=(),
    also_reads=(*WITNESSES, Section.PODS),
    run=_run,
)
