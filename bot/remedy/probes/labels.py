"""Labels and flags of an object, as a step sets them."""

from __future__ import annotations

from bot.model.refs import Ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot
from bot.remedy.probes.answer import ProbeAnswer, Question, compared
from bot.remedy.probes.objects import node_asked
from bot.remedy.runbook import ProbeCall


def _label(snapshot: Snapshot, call: ProbeCall, target: Ref) -> ProbeAnswer:
    node = node_asked(snapshot, call, target)
    if isinstance(node, ProbeAnswer):
        return node
    label, wanted = call.params["label"], call.params.get("value", "")
    seen = node.metadata.labels.get(label, "")
    return compared(snapshot, Ref("node", node.name), f"metadata.labels[{label}]", seen, wanted)


def _unschedulable(snapshot: Snapshot, call: ProbeCall, target: Ref) -> ProbeAnswer:
    node = node_asked(snapshot, call, target)
    if isinstance(node, ProbeAnswer):
        return node
    seen = "true" if node.spec.unschedulable else "false"
    return compared(snapshot, Ref("node", node.name), "spec.unschedulable", seen, call.params["value"])


LABEL_IS = Question(
    holds_when="The node's `label` has this `value`; without one, the node has no such label.",
    ask=_label,
    reads=(Section.NODES,),
    needs=frozenset({"label"}),
    may=frozenset({"value", "node"}),
)
UNSCHEDULABLE_IS = Question(
    holds_when="The node is cordoned (`value` is `true`), or it is not (`false`).",
    ask=_unschedulable,
    reads=(Section.NODES,),
    needs=frozenset({"value"}),
    may=frozenset({"node"}),
)
