"""The call of a step's own probe, with what only the plan knows filled in."""

from __future__ import annotations

import msgspec

from bot.remedy.plan import Plan, PlanStep
from bot.remedy.runbook import Probe, ProbeCall

_PREDICTED = "last-replacements"


def call_of(plan: Plan, step: PlanStep) -> ProbeCall:
    """How the step is verified.

    A pod is known by the uid that the step was bound to. Replacements are counted from the moment (world time, as the
    probes stamp their evidence) at which the last step before was seen to hold.
    """
    call = step.action.verify
    known: dict[str, str] = {}
    if call.probe is Probe.POD_GONE and step.action.target.uid:
        known["uid"] = step.action.target.uid
    if call.probe is Probe.NO_REPLACEMENT:
        if _PREDICTED in plan.predicted:
            known["predicted"] = str(plan.predicted[_PREDICTED])
        seen = [one.last_seen for name in step.after for one in plan.step(name).evidence if one.last_seen]
        if seen:
            known["since"] = max(seen).isoformat()
    return msgspec.structs.replace(call, params={**known, **call.params})
