"""What a decision costs: mutations begun, failures, and steps in flight, counted from a plan before and after."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

from bot.remedy.decision import Budget
from bot.remedy.plan import Plan, StepState
from bot.remedy.runbook import MUTATIONS, Verb
from bot.remedy.table import IN_FLIGHT

#: The limits are per hour.
WINDOW = timedelta(hours=1)
_WENT_WRONG = frozenset({StepState.FAILED, StepState.UNKNOWN})


def recent(budget: Budget, now: datetime) -> Budget:
    """The budget without what is older than its window."""
    return msgspec.structs.replace(
        budget,
        mutations=tuple(at for at in budget.mutations if now - at < WINDOW),
        failures=tuple(at for at in budget.failures if now - at < WINDOW),
    )


def spent(budget: Budget, before: Plan | None, after: Plan, now: datetime) -> Budget:
    """The budget after a change of one plan. Only steps that the bot carries out itself cost anything."""
    earlier, later = _states(before), _states(after)
    begun = _in_flight(later) - _in_flight(earlier)
    ended = _in_flight(earlier) - _in_flight(later)
    cordons = {one.action.step for one in after.steps if one.action.verb is Verb.CORDON}
    wrong = [one for one, state in later.items() if state in _WENT_WRONG and earlier.get(one) not in _WENT_WRONG]
    kept = recent(budget, now)
    return msgspec.structs.replace(
        kept,
        mutations=(*kept.mutations, *(now for _ in begun)),
        failures=(*kept.failures, *(now for _ in wrong)),
        running=max(0, kept.running + len(begun) - len(ended)),
        cordoning=max(0, kept.cordoning + len(begun & cordons) - len(ended & cordons)),
    )


def _states(plan: Plan | None) -> dict[str, StepState]:
    steps = plan.steps if plan else ()
    return {one.action.step: one.state for one in steps if one.action.verb in MUTATIONS}


def _in_flight(states: dict[str, StepState]) -> set[str]:
    return {one for one, state in states.items() if state in IN_FLIGHT}
