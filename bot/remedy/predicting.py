"""How many nodes are replaced once more after the fix, and when each is due."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec

from bot.checks.node_repair import DELETION_RUNNING, HELD, NEXT_DELETION, REPAIR_GATE_OFF
from bot.model.diagnosis import Diagnosis, Key
from bot.model.refs import Ref
from bot.remedy.parameters import belonging_to

LAST_REPLACEMENTS = "last-replacements"
#: Beside those: nodes that go when node repair, which is off, is on again.
HELD_REPLACEMENTS = "held-replacements"


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """`predicted` goes into the plan and is compared at its end; `due` says when each node goes, or since when."""

    predicted: Mapping[str, int] = {}
    due: Mapping[str, datetime] = {}


def predict(diagnosis: Diagnosis, root: Key, *, spares: bool) -> Prediction:
    """The last replacements of a NodePool; nothing where the root is about something else.

    A deletion that runs cannot be called back. A node that is marked goes at its own time, unless the option spares
    it. Nodes that the breaker holds back have no time and do not count: nobody replaces them. Those that a gate holds
    back go when it is taken back, which is for people to say: they are counted apart.
    """
    if root[1].kind != "nodepool":
        return Prediction()
    due: dict[str, datetime] = {}
    held: set[Ref] = set()
    for one in belonging_to(diagnosis, root):
        if one.code == REPAIR_GATE_OFF and not spares:
            held |= {*one.refs.get(HELD, ())}
        at = one.values.get("since" if one.code == DELETION_RUNNING else "at")
        counts = one.code == DELETION_RUNNING or (one.code == NEXT_DELETION and not spares)
        if counts and isinstance(at, datetime):
            due[str(one.subject)] = at
    more = {HELD_REPLACEMENTS: len(held)} if held else {}
    return Prediction(predicted={LAST_REPLACEMENTS: len(due), **more}, due=due)
