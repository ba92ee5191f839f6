"""Changes that are meant to be taken back: from when people are reminded of one, and what ends the reminders."""

from __future__ import annotations

from datetime import timedelta

import msgspec

from bot.remedy.events import Gone, TakenBack
from bot.remedy.plan import PlanStep
from bot.remedy.rules import Case, Moved, Refused, Ruling, names, put, quotes
from bot.remedy.table import Cause, moved


def with_end(step: PlanStep, case: Case) -> PlanStep:
    """The step with the moment from which it is nagged about, counted from when the change was made."""
    seconds = step.action.temporary_for
    if not seconds or step.temporary_until is not None:
        return step
    return msgspec.structs.replace(step, temporary_until=case.now + timedelta(seconds=seconds))


def taken_back(case: Case, step: PlanStep, event: TakenBack) -> Ruling:
    """Nobody is reminded any more of what is there no longer."""
    if step.temporary_until is None:
        return Refused("repair-nothing-temporary", names(step))
    values = {**names(step), "by": event.by}
    one = moved(step, Cause.TAKEN_BACK, step.state, case.now, temporary_until=None)
    return Moved(plan=put(case.plan, one), reason="repair-taken-back", values=values, details={"by": event.by})


def gone(case: Case, step: PlanStep, event: Gone) -> Ruling:
    """A change is gone with its object: there is nothing left to take back."""
    if step.temporary_until is None:
        return Refused("repair-nothing-temporary", names(step))
    one = moved(step, Cause.GONE, step.state, case.now, temporary_until=None, gone_at=case.now)
    details = {"evidence": quotes(event.evidence)}
    return Moved(plan=put(case.plan, one), reason="repair-gone", values=names(step), details=details)
