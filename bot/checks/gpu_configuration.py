"""Are the marked nodes of a pool a fault of configuration, or of hardware?

A machine is broken alone; a missing library goes with the image. The same DCGM message on every machine of one image
and architecture, or on one machine after the other, is configuration. A machine with an Xid is never counted for it;
where the others show the pattern, its own message belongs to it as well, but then hardware is not ruled out.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import msgspec

from bot.checks.check import Answer, Check
from bot.checks.views.gpu_conditions import (
    DCGM_LIBRARY,
    DCGM_UNREACHABLE,
    Mark,
    good_since,
    marks_in_events,
    marks_on,
    monitor_pods,
)
from bot.checks.views.hardware import GPU_HARDWARE_FAULT, kernel_speaks, monitor_evidence
from bot.checks.views.karpenter import group_of
from bot.checks.views.loop import Loop, loops
from bot.checks.views.monitor import monitor
from bot.model.findings import Blind, Code, Finding, Kind, Onset, Severity
from bot.model.objects import Node
from bot.model.refs import Ref
from bot.model.refs import node as node_ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot, known

GPU_HARDWARE = Code("gpu-hardware")
DO_NOT_RESTART_MONITOR = Code("do-not-restart-monitor")
#: A node younger than this may not have been looked at yet: its good condition says nothing against the pattern.
SETTLED = timedelta(minutes=5)
#: Evidence of one finding that is worth showing.
SHOWN = 5


class _Group(msgspec.Struct, frozen=True, kw_only=True):
    """The nodes of one pool or node group, and the DCGM marks on them and on those that went before them.

    `broken` are the machines, present or gone, whose hardware speaks for itself.
    """

    ref: Ref
    nodes: tuple[Node, ...]
    loop: Loop | None
    marks: tuple[Mark, ...]
    broken: frozenset[str]

    @property
    def generations(self) -> int:
        return len(self.loop.replaced) + 1 if self.loop else 1


def run(snapshot: Snapshot) -> Answer:
    """The configuration fault of each pool, or for each marked node that it cannot be told."""
    told: set[str] = set()
    for group in _groups(snapshot):
        for code in (DCGM_LIBRARY, DCGM_UNREACHABLE):
            marks = tuple(mark for mark in group.marks if mark.dcgm == code)
            sound = tuple(mark for mark in marks if mark.node not in group.broken)
            if sound and _is_configuration(snapshot, group, sound, code):
                told |= {mark.node for mark in marks}
                yield from _answers(snapshot, group, marks, code)
    for node in known(snapshot.nodes):
        if marks_on(node) and node.name not in told and not _hardware(snapshot, node):
            yield _unclear(node)


def _groups(snapshot: Snapshot) -> Iterator[_Group]:
    looping = loops(snapshot)
    nodes: dict[Ref, list[Node]] = {}
    for node in sorted(known(snapshot.nodes), key=lambda one: one.name):
        if group := group_of(node):
            nodes.setdefault(group, []).append(node)
    history = marks_in_events(snapshot)
    for ref in sorted({*nodes, *looping}):
        loop = looping.get(ref)
        present = tuple(nodes.get(ref, ()))
        gone = {one.ref.name for one in loop.history.nodes} - {node.name for node in present} if loop else set()
        marks = [mark for node in present for mark in marks_on(node)] + [one for one in history if one.node in gone]
        broken = {node.name for node in present if _hardware(snapshot, node)}
        broken |= {name for name in gone if kernel_speaks(snapshot, name)}
        yield _Group(
            ref=ref,
            nodes=present,
            loop=loop,
            marks=tuple(mark for mark in marks if mark.dcgm),
            broken=frozenset(broken),
        )


def _hardware(snapshot: Snapshot, node: Node) -> bool:
    return kernel_speaks(snapshot, node.name) or bool(monitor_evidence(snapshot, node))


def _is_configuration(snapshot: Snapshot, group: _Group, marks: tuple[Mark, ...], code: Code) -> bool:
    """Whether the pattern is there, and no settled node of the same image and architecture stands against it.

    A library that is not found is a fact about the image by itself. A host engine that does not answer may be the
    GPU's doing: it takes several machines.
    """
    marked = {mark.node for mark in marks}
    kinds = {_image(node) for node in group.nodes if node.name in marked}
    against = [
        node
        for node in group.nodes
        if _image(node) in kinds and not marks_on(node) and good_since(node, snapshot.at - SETTLED)
    ]
    return not against and (code == DCGM_LIBRARY or len(marked) > 1 or group.loop is not None)


def _image(node: Node) -> tuple[str, str]:
    return node.status.node_info.os_image, node.status.node_info.architecture


def _answers(snapshot: Snapshot, group: _Group, marks: tuple[Mark, ...], code: Code) -> Iterator[Finding]:
    ordered = sorted(marks, key=lambda mark: (str(mark.at or ""), mark.node))
    machines = tuple(dict.fromkeys(mark.node for mark in ordered))
    evidence = tuple(mark.evidence for mark in ordered[-SHOWN:])
    pods = tuple(pod for name in machines for pod in monitor_pods(snapshot, name))
    agent = monitor(snapshot, pods)
    refs = {
        "node": tuple(node_ref(name) for name in machines),
        "monitor": pods,
        "daemonset": agent.daemonset,
        "config": agent.config,
    }
    values = _values(group, machines, ordered[-1].message, agent.old_image)
    yield Finding(
        code=code,
        subject=group.ref,
        severity=Severity.CRITICAL,
        onset=_onset(group, ordered[0]),
        evidence=evidence,
        values=values,
        refs=refs,
    )
    yield Finding(
        code=DO_NOT_RESTART_MONITOR,
        subject=group.ref,
        kind=Kind.DO_NOT,
        severity=Severity.INFO,
        evidence=evidence[-1:],
        refs=refs,
    )
    if not group.broken and (len(machines) > 1 or group.loop is not None):
        yield Finding(
            code=GPU_HARDWARE,
            subject=group.ref,
            kind=Kind.RULED_OUT,
            severity=Severity.INFO,
            evidence=evidence,
            values=values,
            refs=refs,
        )


def _values(group: _Group, machines: tuple[str, ...], message: str, old_image: str) -> dict[str, str | int]:
    return {
        **({"old-image": old_image} if old_image else {}),
        "message": message,
        "machines": len(machines),
        "generations": group.generations,
        **_host(next((node for node in group.nodes if node.name in machines), None)),
    }


def _host(node: Node | None) -> dict[str, str]:
    """Image and architecture, and both in brackets after a space; empty where the node does not name them."""
    image, architecture = _image(node) if node else ("", "")
    both = ", ".join(name for name in (image, architecture) if name)
    return {"image": image, "architecture": architecture, "host": f" ({both})" if both else ""}


def _onset(group: _Group, first: Mark) -> Onset | None:
    """Since when, if it is known: a loop that is older than its oldest mark began before that mark."""
    if first.at is None or (group.loop is not None and group.loop.first < first.at):
        return None
    return Onset(first.at, f"{first.evidence.source} {first.evidence.field}, {first.node}")


def _unclear(node: Node) -> Blind:
    group = group_of(node)
    return Blind(
        check="gpu-configuration",
        codes=(DCGM_LIBRARY, DCGM_UNREACHABLE, GPU_HARDWARE_FAULT),
        subject=node_ref(node.name),
        why="gpu-cause-unclear",
        command=f"ssh {node.name} sudo dmesg",
        values={"nodepool": str(group) if group else "?"},
        required=False,
    )


CHECK = Check(
    name="gpu-configuration",
    codes=(DCGM_LIBRARY, DCGM_UNREACHABLE, GPU_HARDWARE, DO_NOT_RESTART_MONITOR),
    reads=(Section.NODES,),
    also_reads=(Section.EVENTS, Section.NODECLAIMS, Section.NODEPOOLS, Section.PODS, Section.DAEMONSETS),
    run=run,
)
