"""Finds the object that a probe is about: there, surely gone, or not told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from bot.checks.evidence import NONE, quoted
from bot.model.findings import Evidence
from bot.model.objects import ConfigMap, DaemonSet, Deployment, KubeObject, Node, Pod, VirtualMachine
from bot.model.refs import MalformedReference, Ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot, known
from bot.remedy.probes.answer import ProbeAnswer, cannot_tell, malformed, not_yet, unread
from bot.remedy.runbook import ProbeCall

T = TypeVar("T", bound=KubeObject)

_SECTIONS: Mapping[type[KubeObject], Section] = {
    Node: Section.NODES,
    Pod: Section.PODS,
    DaemonSet: Section.DAEMONSETS,
    Deployment: Section.DEPLOYMENTS,
    VirtualMachine: Section.VIRTUALMACHINES,
}


def asked(call: ProbeCall, target: Ref, *names: str) -> Ref | ProbeAnswer:
    """The object that is meant: named by a parameter, else the step's target.

    `node` and `nodepool` hold a name alone, anything else a whole reference.
    """
    for name in names:
        text = call.params.get(name, "")
        if text and name in ("node", "nodepool"):
            return Ref(name, text)
        if text:
            return parsed(text)
    return target


def parsed(text: str) -> Ref | ProbeAnswer:
    """A reference out of a parameter."""
    try:
        return Ref.parse(text)
    except MalformedReference:
        return malformed(text)


def found(snapshot: Snapshot, ref: Ref, kind: type[T]) -> T | ProbeAnswer:
    """The object, or what its absence means: gone where the section is whole, not told where it has a gap."""
    section = _SECTIONS[kind]
    for one in known(snapshot.section(section)):
        if (one.name, one.namespace) == (ref.name, ref.namespace) and isinstance(one, kind):
            return one
    if section in snapshot.gaps:
        return unread(section.value, snapshot.gaps[section])
    if any((one.section, one.name, one.namespace) == (section, ref.name, ref.namespace) for one in snapshot.unreadable):
        return cannot_tell("repair-object-unreadable", {"subject": str(ref)})
    return not_yet("repair-object-gone", {"subject": str(ref)}, absent(snapshot, ref))


def node_asked(snapshot: Snapshot, call: ProbeCall, target: Ref) -> Node | ProbeAnswer:
    """The node that is meant."""
    ref = asked(call, target, "node")
    return ref if isinstance(ref, ProbeAnswer) else found(snapshot, ref, Node)


def configmap(snapshot: Snapshot, ref: Ref) -> ConfigMap | None:
    """A ConfigMap of those that were read."""
    return next(
        (one for one in known(snapshot.configmaps) if (one.name, one.namespace) == (ref.name, ref.namespace)), None
    )


def absent(snapshot: Snapshot, ref: Ref) -> Evidence:
    """What shows that an object is not there: the whole list without it."""
    return quoted(ref, "metadata.name", NONE, last=snapshot.at)
