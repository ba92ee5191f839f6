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


def is_untouched(plan: Plan, beside: str = "") -> bool:
    """Whether nothing of it was done by anybody, and no person told of a step or may be at one that was agreed to.

    The step `beside` is left out.
    """
    return all(_is_untouched(plan, one) for one in plan.steps if one.action.step != beside)


def _is_untouched(plan: Plan, step: PlanStep) -> bool:
    if step.exec_id or step.told_by:
        return False
    if step.state is StepState.APPROVED:
        return by_executor(plan, step)
    return step.state in (StepState.PENDING, StepState.AWAITING, StepState.SUPERSEDED)


def awaited(plan: Plan) -> str:
    """What the plan needs a person for: `choice`, the id of a step, or nothing."""
    if plan.state is PlanState.CHOOSING:
        return CHOICE
    if plan.state in FINISHED:
        waiting = [one for one in plan.steps if one.state is StepState.UNKNOWN]
    else:
        waiting = [one for one in plan.steps if waits_for_people(plan, one)]
    return waiting[0].action.step if waiting else ""


def temporary(plan: Plan) -> tuple[PlanStep, ...]:
    """Steps whose change is meant to be taken back, the most urgent first."""
    steps = [one for one in plan.steps if one.temporary_until is not None]
    return tuple(sorted(steps, key=lambda one: str(one.temporary_until)))


def taken_back(plans: Sequence[Plan]) -> Iterator[tuple[Plan, str, Plan]]:
    """The plan, the temporary step of it and the plan that took it back, where the step does not know it yet."""
    there = {f"{plan.id}/{one.action.step}": plan for plan in plans for one in plan.steps if one.temporary_until}
    for by in plans:
        if by.state is PlanState.DONE and by.undoes in there:
            yield there[by.undoes], by.undoes.rpartition("/")[2], by


def undone(plans: Iterable[Plan]) -> frozenset[str]:
    """The ids of the plans of which a change was taken back."""
    return frozenset(by.undoes.rpartition("/")[0] for by in plans if by.undoes and by.state is PlanState.DONE)


def standing(incident: Incident, plans: Sequence[Plan]) -> Incident:
    """The incident with the state that its plans give it, oldest first. One that is resolved stays so."""
    if not incident.is_open or not plans:
        return incident
    repairs = _repairs(plans)
    left = tuple(dict.fromkeys(code for one in repairs if one.state is PlanState.DONE for code in one.leaves))
    incident = msgspec.structs.replace(incident, left=left, waiting="", waiting_in="")
    plan = next(filter(awaited, plans), None)
    if plan is not None:
        what = awaited(plan)
        runbook = "" if what == CHOICE else plan.runbook
        return msgspec.structs.replace(incident, state=State.WAITING, waiting=what, waiting_in=runbook)
    newest = {one.subject: one.state for one in repairs}
    is_repaired = bool(newest) and set(newest.values()) == {PlanState.DONE} and not any(map(is_living, plans))
    return msgspec.structs.replace(incident, state=State.MITIGATED if is_repaired else State.OPEN)


def _repairs(plans: Sequence[Plan]) -> tuple[Plan, ...]:
    """Those that say how far the repair is: what took a change back is none, and neither is what was taken back.

    One that was outdated before anything of it was done says nothing either.
    """
    back = undone(plans)
    return tuple(
        one
        for one in plans
        if not one.undoes and one.id not in back and not (one.state is PlanState.SUPERSEDED and is_untouched(one))
    )


def planned(incident: Incident) -> Incident:
    """The incident from its first plan on."""
    return msgspec.structs.replace(incident, planned=True)


def taken(incident: Incident, actor: Actor) -> Incident:
    """The incident with an owner; whoever takes it last has it."""
    return msgspec.structs.replace(incident, owner=actor.id)


def closed(incident: Incident, at: datetime) -> Incident:
    """Resolved: nothing is left broken and nothing is seen any more."""
    return msgspec.structs.replace(incident, state=State.RESOLVED, waiting="", waiting_in="", left=(), changed_at=at)
