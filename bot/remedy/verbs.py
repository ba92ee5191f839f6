"""What each verb of a runbook acts on, needs and risks at least: the table that the lint holds steps to."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from bot.remedy.runbook import Risk, Verb

#: How bad, from little to much.
BY_RISK = (Risk.READ, Risk.REVERSIBLE, Risk.DISRUPTIVE, Risk.DESTRUCTIVE)
#: Parameters that only a hand-over needs; no blank names them.
FACTS = frozenset({"architecture", "eks-cluster", "karpenter-version"})


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """How a step of one verb must look.

    Attributes:
        kinds: of references that it acts on; empty for any.
        params: that must be there.
        optional: that may be there.
        least: the lowest risk class that it may claim.
        selects: whether it may act on what a selection finds when it runs.
    """

    kinds: frozenset[str] = frozenset()
    params: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    least: Risk = Risk.REVERSIBLE
    selects: bool = False


_NODE = frozenset({"node"})
_WORKLOAD = frozenset({"ds", "deploy"})

SHAPES: Mapping[Verb, Shape] = {
    Verb.LABEL_NODE: Shape(kinds=_NODE, params=frozenset({"label", "value"})),
    Verb.CORDON: Shape(kinds=_NODE),
    Verb.UNCORDON: Shape(kinds=_NODE),
    Verb.EVICT_POD: Shape(kinds=frozenset({"pod"}), least=Risk.DISRUPTIVE),
    Verb.ROLLOUT_RESTART: Shape(kinds=_WORKLOAD, least=Risk.DISRUPTIVE),
    Verb.PATCH_CONFIGMAP: Shape(
        kinds=frozenset({"configmap"}), params=frozenset({"key", "value"}), optional=frozenset({"path"})
    ),
    Verb.SET_ENV: Shape(
        kinds=_WORKLOAD,
        params=frozenset({"container", "name", "value"}),
        optional=frozenset({"gate"}),
        least=Risk.DISRUPTIVE,
    ),
    Verb.CLEAR_CONDITION: Shape(
        kinds=frozenset({"node", "nodepool"}), params=frozenset({"condition"}), least=Risk.DESTRUCTIVE, selects=True
    ),
    Verb.OBSERVE: Shape(least=Risk.READ),
    Verb.HOST: Shape(kinds=_NODE),
    Verb.HAND_OVER: Shape(params=frozenset({"change"})),
}
