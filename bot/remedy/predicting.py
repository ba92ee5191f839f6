"""How many replacements begin after the repair, and when each node goes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

import msgspec

from bot.checks.node_repair import DELETION_RUNNING, HELD, NEXT_DELETION, REPAIR_GATE_OFF
from bot.model.diagnosis import Diagnosis, Key
from bot.model.findings import Code, Finding
from bot.remedy.parameters import belonging_to

LAST_REPLACEMENTS = "last-replacements"
#: Beside those: nodes whose deletion runs already, so that it begins before any repair.
RUNNING_REPLACEMENTS = "running-replacements"
#: Beside those: nodes that go when node repair, which is off, is on again.
HELD_REPLACEMENTS = "held-replacements"


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """`predicted` goes into the plan and is compared at its end; `due` says when each node goes, or since when."""

    predicted: Mapping[str, int] = {}
    due: Mapping[str, datetime] = {}


def predict(diagnosis: Diagnosis, root: Key, *, spares: bool) -> Prediction:
    """The last replacements of a NodePool; nothing where the root is about something else.

    Counted is what `no-replacement` counts at the end: deletions that begin after the repair. A node that is marked
    goes at its own time, unless the option spares it. A deletion that runs cannot be called back, and is counted apart.
    Nodes that the breaker holds back have no time and do not count: nobody replaces them. Those that a gate holds back
    go when it is taken back, which is for people to say: they are counted apart too.
    """
    if root[1].kind != "nodepool":
        return Prediction()
    belonging = belonging_to(diagnosis, root)
    running = dict(_times(belonging, DELETION_RUNNING, "since"))
    coming = {} if spares else dict(_times(belonging, NEXT_DELETION, "at"))
    gates = [] if spares else [one for one in belonging if one.code == REPAIR_GATE_OFF]
    held = {ref for one in gates for ref in one.refs.get(HELD, ())}
    apart = {RUNNING_REPLACEMENTS: len(running), HELD_REPLACEMENTS: len(held)}
    predicted = {LAST_REPLACEMENTS: len(coming), **{name: count for name, count in apart.items() if count}}
    return Prediction(predicted=predicted, due={**running, **coming})


def _times(findings: Iterable[Finding], code: Code, value: str) -> Iterator[tuple[str, datetime]]:
    for one in findings:
        if one.code == code and isinstance(at := one.values.get(value), datetime):
            yield str(one.subject), at
