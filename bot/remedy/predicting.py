"""How many replacements begin after the repair, and when each node goes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

import msgspec

from bot.checks.node_repair import DELETION_RUNNING, HELD, NEXT_DELETION, REPAIR_GATE_OFF
from bot.checks.repair_breaker import REPAIR_BREAKER, STUCK, WAITING
from bot.model.diagnosis import Diagnosis, Key
from bot.model.findings import Code, Finding
from bot.remedy.parameters import belonging_to

LAST_REPLACEMENTS = "last-replacements"
#: Of those: nodes that the breaker holds back until the deletions that run are over.
WAITING_REPLACEMENTS = "waiting-replacements"
#: Beside those: nodes whose deletion runs already, so that it begins before any repair.
RUNNING_REPLACEMENTS = "running-replacements"
#: Beside those: nodes that go when node repair, which is off, is on again.
HELD_REPLACEMENTS = "held-replacements"
#: Beside those: nodes that the breaker holds back for good, too many for repair to go on.
STUCK_NODES = "stuck-nodes"


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """`predicted` goes into the plan and is compared at its end; `due` says when each node goes, or since when."""

    predicted: Mapping[str, int] = {}
    due: Mapping[str, datetime] = {}


def predict(diagnosis: Diagnosis, root: Key, *, spares: bool) -> Prediction:
    """The last replacements of a NodePool; nothing where the root is about something else.

    Counted is what `no-replacement` counts at the end: deletions that begin after the repair, as if it took effect now.
    A node that is marked goes at its own time at the earliest, unless the option spares it; one that the breaker holds
    back goes as well where those whose deletion runs are what holds it back (`views.repair.Breaker`). Budgets of a
    NodePool, PodDisruptionBudgets and do-not-disrupt hold nothing back: repair deletes the NodeClaim itself.

    Counted apart are a deletion that runs, which cannot be called back; nodes that a gate holds back, which go when
    people turn it on again; and nodes that the breaker holds back for good, which stay marked until people free them.
    """
    if root[1].kind != "nodepool":
        return Prediction()
    belonging = belonging_to(diagnosis, root)
    running = dict(_times(belonging, DELETION_RUNNING, "since"))
    coming = {} if spares else dict(_times(belonging, NEXT_DELETION, "at"))
    staying = [] if spares else belonging
    apart = {
        WAITING_REPLACEMENTS: len(_named(staying, REPAIR_BREAKER, WAITING) & coming.keys()),
        RUNNING_REPLACEMENTS: len(running),
        HELD_REPLACEMENTS: len(_named(staying, REPAIR_GATE_OFF, HELD)),
        STUCK_NODES: len(_named(staying, REPAIR_BREAKER, STUCK)),
    }
    predicted = {LAST_REPLACEMENTS: len(coming), **{name: count for name, count in apart.items() if count}}
    return Prediction(predicted=predicted, due={**running, **coming})


def _times(findings: Iterable[Finding], code: Code, value: str) -> Iterator[tuple[str, datetime]]:
    for one in findings:
        if one.code == code and isinstance(at := one.values.get(value), datetime):
            yield str(one.subject), at


def _named(findings: Iterable[Finding], code: Code, role: str) -> set[str]:
    return {str(ref) for one in findings if one.code == code for ref in one.refs.get(role, ())}
