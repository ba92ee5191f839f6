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


#: A node's label has this value; an empty one means that it has no such label.
LABEL_IS = Question(ask=_label, reads=(Section.NODES,), needs=frozenset({"label"}), may=frozenset({"value", "node"}))
#: A node is cordoned (`value` is `true`) or not (`false`).
UNSCHEDULABLE_IS = Question(
    ask=_unschedulable, reads=(Section.NODES,), needs=frozenset({"value"}), may=frozenset({"node"})
)
