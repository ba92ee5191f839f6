"""Where an incident stands, by its plans. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

import msgspec

from bot.model.incident import CHOICE, Incident, State
from bot.remedy.plan import Actor, Plan, PlanState, PlanStep, StepState
from bot.remedy.rules import by_executor, waits_for_people
from bot.remedy.table import FINISHED


def is_living(plan: Plan) -> bool:
    """Whether something of it can still happen by itself or by a press."""
    return plan.state not in FINISHED


def is_untouched(plan: Plan) -> bool:
    """Whether nothing of it was done by the bot, and no person told of a step or may be at one that was agreed to."""
    return all(_is_untouched(plan, one) for one in plan.steps)


def _is_untouched(plan: Plan, step: PlanStep) -> bool:
    if step.state is StepState.APPROVED:
        return by_executor(plan, step)
    return step.state in (StepState.PENDING, StepState.AWAITING) and not step.told_by


def waits_for(plan: Plan) -> str:
    """What the plan needs a person for: `choice`, the id of a step, or nothing."""
    if plan.state is PlanState.CHOOSING:
        return CHOICE
    if plan.state in FINISHED:
        waiting = [one for one in plan.steps if one.state is StepState.UNKNOWN]
    else:
        waiting = [one for one in plan.steps if waits_for_people(plan, one)]
    return waiting[0].action.step if waiting else ""


def temporary(plans: Iterable[Plan]) -> tuple[PlanStep, ...]:
    """Steps whose change is meant to be taken back, the most urgent first."""
    steps = [one for plan in plans for one in plan.steps if one.temporary_until is not None]
    return tuple(sorted(steps, key=lambda one: str(one.temporary_until)))


def taken_back(plans: Sequence[Plan]) -> Iterator[tuple[Plan, str, Plan]]:
    """The plan, the temporary step of it and the plan that took it back, where the step does not know it yet."""
    there = {f"{plan.id}/{one.action.step}": plan for plan in plans for one in plan.steps if one.temporary_until}
    for by in plans:
        if by.state is PlanState.DONE and by.undoes in there:
            yield there[by.undoes], by.undoes.rpartition("/")[2], by


def standing(incident: Incident, plans: Sequence[Plan]) -> Incident:
    """The incident with the state that its plans give it, oldest first. One that is resolved stays so."""
    if not incident.is_open or not plans:
        return incident
    plan = next(filter(waits_for, plans), None)
    if plan is not None:
        what = waits_for(plan)
        runbook = "" if what == CHOICE else plan.runbook
        return msgspec.structs.replace(incident, state=State.WAITING, waiting=what, waiting_in=runbook)
    incident = msgspec.structs.replace(incident, waiting="", waiting_in="")
    done = [one for one in plans if one.state is PlanState.DONE]
    if any(map(is_living, plans)) or not done:
        return msgspec.structs.replace(incident, state=State.OPEN)
    left = tuple(dict.fromkeys(code for one in done for code in one.leaves))
    return msgspec.structs.replace(incident, state=State.MITIGATED, left=left)


def planned(incident: Incident) -> Incident:
    """The incident from its first plan on."""
    return msgspec.structs.replace(incident, planned=True)


def taken(incident: Incident, actor: Actor) -> Incident:
    """The incident with an owner; whoever takes it last has it."""
    return msgspec.structs.replace(incident, owner=actor.id)


def closed(incident: Incident, at: datetime) -> Incident:
    """Resolved: nothing is left broken and nothing is seen any more."""
    return msgspec.structs.replace(incident, state=State.RESOLVED, waiting="", waiting_in="", left=(), changed_at=at)
