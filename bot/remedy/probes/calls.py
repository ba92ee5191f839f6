"""The call of a step's own probe, with what only the plan knows filled in."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import msgspec

from bot.remedy.plan import Plan, PlanStep
from bot.remedy.predicting import LAST_REPLACEMENTS
from bot.remedy.runbook import Probe, ProbeCall


def call_of(plan: Plan, step: PlanStep) -> ProbeCall:
    """How the step is verified.

    A pod is known by the uid that the step was bound to. Replacements are counted from the moment (world time, as the
    probes stamp their evidence) at which the last step before changed something, or was seen to hold where it did not:
    a rollout takes its time, and what goes meanwhile goes for the last time.
    """
    call = step.action.verify
    known: dict[str, str] = {}
    if call.probe is Probe.POD_GONE and step.action.target.uid:
        known["uid"] = step.action.target.uid
    if call.probe is Probe.NO_REPLACEMENT:
        if LAST_REPLACEMENTS in plan.predicted:
            known["predicted"] = str(plan.predicted[LAST_REPLACEMENTS])
        begun = [at for name in step.after for at in _effective(plan.step(name))]
        if begun:
            known["since"] = max(begun).isoformat()
    return msgspec.structs.replace(call, params={**known, **call.params})


def _effective(step: PlanStep) -> Iterator[datetime]:
    """Since when a step counts, as far as that is known."""
    if step.applied_at is not None:
        yield step.applied_at
    else:
        yield from (one.last_seen for one in step.evidence if one.last_seen)
