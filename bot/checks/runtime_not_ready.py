"""Why does a living kubelet say that its node is not ready: container runtime, or network plugin?"""

from __future__ import annotations

from bot.checks.check import Answer, Check
from bot.checks.evidence import of_condition
from bot.checks.views.liveness import has_just_joined
from bot.model.findings import Blind, Code, Finding, Onset, Severity
from bot.model.objects import Condition, Node, ref_of
from bot.model.sections import Section
from bot.model.snapshot import Snapshot

RUNTIME = Code("container-runtime-down")
NETWORK = Code("cni-not-ready")
_RUNTIME_WORDS = ("container runtime is down", "containerd.sock: connect: connection refused")
_NETWORK_WORDS = ("NetworkPluginNotReady", "cni plugin not initialized", "cni config uninitialized")


def _run(snapshot: Snapshot) -> Answer:
    for node in snapshot.node.values():
        if node.ready is None or node.ready.status != "False" or has_just_joined(node, snapshot.at):
            continue
        code = _code(node.ready.message)
        yield _not_told(node) if code is None else _finding(code, node, node.ready)


def _not_told(node: Node) -> Blind:
    """Its message names neither; a sick runtime may still be behind it (`PLEG is not healthy`)."""
    return Blind(
        check="runtime-not-ready",
        codes=(RUNTIME, NETWORK),
        subject=ref_of(node),
        why="not-ready-for-another-reason",
        command=f"kubectl describe node {node.name}",
        required=False,
    )


def _code(message: str) -> Code | None:
    """The runtime comes first: without it the network cannot be ready either, and the message names both."""
    if any(words in message for words in _RUNTIME_WORDS):
        return RUNTIME
    return NETWORK if any(words in message for words in _NETWORK_WORDS) else None


def _finding(code: Code, node: Node, ready: Condition) -> Finding:
    changed = ready.last_transition_time
    return Finding(
        code=code,
        subject=ref_of(node),
        severity=Severity.CRITICAL,
        onset=Onset(changed, "status.conditions[Ready].lastTransitionTime") if changed else None,
        evidence=(of_condition(ref_of(node), ready),),
    )


CHECK = Check(name="runtime-not-ready", codes=(RUNTIME, NETWORK), reads=(Section.NODES,), run=_run)
