"""A probe asked of a snapshot, as the verification of a step asks it."""

from __future__ import annotations

from bot.model.refs import Ref, node
from bot.model.sections import Unknown, UnknownReason
from bot.model.snapshot import Snapshot
from bot.remedy.probes import PROBES, ProbeAnswer
from bot.remedy.runbook import Probe, ProbeCall
from tests.support.repairs import worded

OMEN2 = node("omen2")
FAILED = Unknown(UnknownReason.FAILED, "HTTP 500")


def asked(probe: Probe, snapshot: Snapshot, target: Ref = OMEN2, *, lasting: int = 0, **params: str) -> ProbeAnswer:
    """What the probe says; the parameters are named with `_` for `-`."""
    named = {key.replace("_", "-"): value for key, value in params.items()}
    return worded(PROBES[probe](snapshot, ProbeCall(probe=probe, params=named, lasting=lasting), target))
