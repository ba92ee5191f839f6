"""Nodes that live again: Ready for a while with a fresh Lease, and the resource that their kubelet offers."""

from __future__ import annotations

from datetime import timedelta

from bot.checks.evidence import NONE, of_condition, quoted
from bot.checks.views.liveness import is_stale
from bot.model.findings import Evidence
from bot.model.objects import Node, ref_of
from bot.model.refs import Ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot
from bot.remedy.probes.answer import Answer, ProbeAnswer, Question, cannot_tell, holds, not_yet, unread
from bot.remedy.probes.objects import node_asked
from bot.remedy.runbook import ProbeCall


def _ready(snapshot: Snapshot, call: ProbeCall, target: Ref) -> ProbeAnswer:
    node = node_asked(snapshot, call, target)
    if isinstance(node, ProbeAnswer):
        return node
    return _lives(snapshot, node, timedelta(seconds=call.lasting))


def _lives(snapshot: Snapshot, node: Node, lasting: timedelta) -> ProbeAnswer:
    """Two witnesses: the node controller's Ready, and the Lease, which the kubelet renews itself."""
    ref, one, lease = ref_of(node), node.ready, snapshot.lease.get(node.name)
    if one is None:
        return cannot_tell("repair-ready-not-told", {"subject": str(ref)})
    evidence: tuple[Evidence, ...] = (of_condition(ref, one),)
    values = {"subject": str(ref), "seen": one.status, "lasting": f"{lasting.total_seconds():g}"}
    if one.status != "True":
        return not_yet("repair-node-not-ready", values, *evidence)
    if lease is None and Section.LEASES in snapshot.gaps:
        return unread(Section.LEASES.value, snapshot.gaps[Section.LEASES])
    renewed = lease.spec.renew_time if lease else None
    if lease is None or renewed is None or is_stale(lease, snapshot.at):
        seen = renewed.isoformat() if renewed else NONE
        lease_ref = ref_of(lease) if lease else Ref("lease", node.name, "kube-node-lease")
        return not_yet(
            "repair-lease-stale", {**values, "seen": seen}, *evidence, quoted(lease_ref, "spec.renewTime", seen)
        )
    evidence += (quoted(ref_of(lease), "spec.renewTime", renewed.isoformat(), last=renewed),)
    since = one.last_transition_time
    if lasting and since is None:
        return cannot_tell("repair-ready-not-told", {"subject": str(ref)}, *evidence)
    if since is not None and snapshot.at - since < lasting:
        return not_yet("repair-ready-too-short", {**values, "seen": since.isoformat()}, *evidence)
    return holds("repair-node-ready", values, *evidence)


def _offered(snapshot: Snapshot, call: ProbeCall, target: Ref) -> ProbeAnswer:
    """A number of a living kubelet; what a dead one wrote last is no offer."""
    node = node_asked(snapshot, call, target)
    if isinstance(node, ProbeAnswer):
        return node
    alive = _lives(snapshot, node, timedelta(0))
    resource = call.params["resource"]
    seen = node.status.allocatable.get(resource, "0")
    quote = quoted(ref_of(node), f"status.allocatable[{resource}]", seen, last=snapshot.at)
    values = {"subject": f"node/{node.name}", "resource": resource, "seen": seen}
    if alive.answer is Answer.CANNOT_TELL:
        return alive
    if not alive.holds:
        return not_yet("repair-offer-stale", values, quote, *alive.evidence)
    if not seen.isdigit() or int(seen) == 0:
        return not_yet("repair-not-offered", values, quote)
    return holds("repair-offered-resource", values, quote, *alive.evidence)


_READS = (Section.NODES, Section.LEASES)
NODE_READY = Question(
    holds_when="The node has been Ready for `lasting` seconds, and its Lease is renewed.",
    ask=_ready,
    reads=_READS,
    may=frozenset({"node"}),
    lasts=True,
)
RESOURCE_OFFERED = Question(
    holds_when="A living kubelet offers at least one of `resource`.",
    ask=_offered,
    reads=_READS,
    needs=frozenset({"resource"}),
    may=frozenset({"node"}),
)
