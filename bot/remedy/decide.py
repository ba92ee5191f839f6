"""The one decision about plans: what an event changes, or why it changes nothing. Pure; the store holds no rule.

Deadlines come first, whatever the event. Then the table says whether the event counts in this state at all, the rule
of its topic whether it counts now. At last the plan is settled, and the steps whose turn it is are offered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from bot.remedy import reporting, running, voting
from bot.remedy.decision import Budget, Decision, Entry, Freeze, Policy
from bot.remedy.events import (
    Aborted,
    Adopted,
    Approved,
    Begun,
    BrokeGlass,
    Chosen,
    Denied,
    Dispatched,
    Effect,
    Event,
    Gone,
    Outcome,
    Reported,
    Resolved,
    Superseded,
    TakenBack,
    Ticked,
    Verified,
    step_of,
    tag_of,
)
from bot.remedy.freezing import by_bot
from bot.remedy.plan import BOT, Actor, Plan, PlanState, PlanStep, StepState, joined
from bot.remedy.rules import Case, Moved, Refused, Ruling, because, explained, names, opens, put, stopped, waits_for
from bot.remedy.spending import spent
from bot.remedy.table import IN_FLIGHT, PLANS, STEPS, Cause, moved
from bot.remedy.temporary import gone, taken_back
from bot.remedy.timing import held, lapsed, opened, resumed, wakes

#: The rules of events about one step.
_RULES: Mapping[type, Callable[[Case, PlanStep, Any], Ruling]] = {
    Approved: voting.approved,
    BrokeGlass: voting.broke_glass,
    Denied: voting.denied,
    Begun: running.begun,
    Dispatched: running.dispatched,
    Outcome: running.outcome,
    Adopted: running.adopted,
    Verified: running.verified,
    Reported: reporting.reported,
    Resolved: reporting.resolved,
    TakenBack: taken_back,
    Gone: gone,
}
_HALTS = frozenset({StepState.FAILED, StepState.UNKNOWN, StepState.DENIED, StepState.EXPIRED})


def decide(plan: Plan, event: Event, now: datetime, *, freeze: Freeze, budget: Budget, policy: Policy) -> Decision:
    """What the event does to the plan at this moment of decision time."""
    case = Case(plan=plan, now=now, freeze=freeze, budget=budget, policy=policy)
    late = lapsed(case)
    case = _settled(_with(case, late))
    stilled, going_on = held(case), resumed(case)
    case = _with(case, (*stilled, *going_on))
    ruling = _too_late(event, late) or _ruling(_on(case, _known(case.plan, event)), event)
    told = [_entry(case, BOT, "expired", one.why, one.values, step=one) for one in late]
    told += [_entry(case, BOT, "held", one.why, one.values, step=one) for one in stilled]
    told += [_entry(case, BOT, "offered", one.why, one.values, step=one) for one in going_on]
    if isinstance(ruling, Moved):
        case = _settled(_on(case, ruling.plan))
    if not (isinstance(event, Ticked) and not late):
        told.append(_told(case, event, ruling))
    told += _unsent(case, plan)
    offered = opened(case)
    case = _with(case, offered)
    told += [_entry(case, BOT, "offered", one.why, one.values, step=one) for one in offered]
    if case.plan.state is not plan.state:
        told.append(_entry(case, BOT, "plan", f"repair-plan-{case.plan.state.value}", {"plan": plan.id}))
    gap = ruling.gap if isinstance(ruling, Moved) else {}
    if gap:
        step = case.plan.step(step_of(event))
        told.append(_entry(case, BOT, "audit-gap", "repair-audit-gap", {**names(step), **gap}, step=step))
    stop = _stop(case, plan, gap=bool(gap))
    if stop and not gap:
        told.append(_entry(case, BOT, "freeze", stop.why, {"limit": str(budget.failures_per_hour)}))
    return Decision(
        plan=case.plan,
        changed=case.plan != plan,
        refused=isinstance(ruling, Refused),
        reason=ruling.reason,
        values=ruling.values,
        entries=tuple(told),
        work=_work(case, plan, everything=isinstance(event, Ticked)),
        freeze=stop,
    )


def _known(plan: Plan, event: Event) -> Plan:
    """The plan with what the event tells of who its people are; it stays so if the event counts."""
    told = event.identities
    return msgspec.structs.replace(plan, known=joined(plan.known, told)) if told else plan


def _too_late(event: Event, late: Iterable[PlanStep]) -> Refused | None:
    """The refusal of whatever comes for a step whose window has just closed."""
    return next((Refused(one.why, one.values) for one in late if step_of(event) == one.action.step), None)


def _ruling(case: Case, event: Event) -> Ruling:
    if isinstance(event, Ticked):
        return Moved(plan=case.plan, reason="repair-time-passed")
    if case.plan.state not in PLANS[Cause(tag_of(event))]:
        return _plan_refuses(case.plan, event)
    if isinstance(event, Chosen):
        return voting.chosen(case, event)
    if isinstance(event, Aborted):
        return reporting.aborted(case, event)
    if isinstance(event, Superseded):
        return reporting.superseded(case, event)
    step = case.plan.find(event.step)
    if step is None:
        return Refused("repair-no-such-step", {"step": event.step})
    if (step.state, Cause(tag_of(event))) not in STEPS:
        return _step_refuses(case, step, event)
    return _RULES[type(event)](case, step, event)


def _plan_refuses(plan: Plan, event: Event) -> Refused:
    if plan.state is PlanState.CHOOSING:
        return Refused("repair-not-chosen", {"plan": plan.id})
    if isinstance(event, Chosen) and plan.state is PlanState.ACTIVE:
        by = plan.chosen_by.id if plan.chosen_by else ""
        return Refused("repair-chosen-already", {"option": plan.option, "who": by})
    values = {"plan": plan.id, "state": plan.state.value}
    return Refused("repair-plan-over", because(values, f"repair-plan-{plan.state.value}", {}))


def _step_refuses(case: Case, step: PlanStep, event: Event) -> Refused:
    """Why an event does not count in the step's state; out of order says what would break."""
    values = names(step)
    if step.state is StepState.PENDING:
        waiting = ", ".join(waits_for(case.plan, step, case.policy))
        if not waiting and (refusal := stopped(case, step)):
            return refusal
        return Refused(step.hazard or "repair-out-of-order", {**values, "waits": waiting})
    if step.state is StepState.APPROVED and isinstance(event, Approved | BrokeGlass):
        return Refused("repair-approved-already", values)
    if step.state in IN_FLIGHT and isinstance(event, Approved | BrokeGlass | Denied | Begun):
        return Refused("repair-runs-already", values)
    if step.state is StepState.AWAITING:
        return Refused("repair-not-begun", values)
    return Refused("repair-step-state", {**values, "state": step.state.value, "event": tag_of(event)})


def _on(case: Case, plan: Plan) -> Case:
    return msgspec.structs.replace(case, plan=plan)


def _with(case: Case, steps: Iterable[PlanStep]) -> Case:
    plan = case.plan
    for one in steps:
        plan = put(plan, one)
    return _on(case, plan)


def _settled(case: Case) -> Case:
    """A running plan ends with what became of its steps; nothing of one that is over is sent any more."""
    case = _ended(case)
    if case.plan.state not in PLANS[Cause.PLAN_OVER]:
        return case
    reason, values = "repair-plan-ended-first", {"plan": case.plan.id}
    intended = [one for one in case.plan.steps if one.state is StepState.INTENT]
    over = (moved(one, Cause.PLAN_OVER, StepState.ABORTED, case.now, expires_at=None) for one in intended)
    return _with(case, [explained(one, reason, {**names(one), **values}) for one in over])


def _ended(case: Case) -> Case:
    plan = case.plan
    states = {one.state for one in plan.steps}
    if plan.state is not PlanState.ACTIVE:
        return case
    if StepState.SUPERSEDED in states:
        state = PlanState.SUPERSEDED
    elif states & _HALTS:
        state = PlanState.HALTED
    elif all(opens(one, case.policy) for one in plan.steps):
        state = PlanState.DONE
    else:
        return case
    return _on(case, msgspec.structs.replace(plan, state=state))


def _unsent(case: Case, before: Plan) -> list[Entry]:
    """The outcomes of intents that somebody's no ended: nothing was sent."""
    intended = {one.action.step for one in before.steps if one.state is StepState.INTENT}
    ended = [one for one in case.plan.steps if one.state in (StepState.DENIED, StepState.ABORTED)]
    return [
        _entry(
            case,
            BOT,
            "outcome",
            "repair-not-sent",
            {**because(names(one), one.why, one.values), "result": Effect.NOT_BEGUN.value, "exec_id": one.exec_id},
            step=one,
        )
        for one in ended
        if one.action.step in intended
    ]


def _stop(case: Case, before: Plan, *, gap: bool) -> Freeze | None:
    """The freeze that the bot puts on itself: the audit has lost something, or too much went wrong within an hour."""
    after = spent(case.budget, before, case.plan, case.now)
    failed_now = len(after.failures) > len(spent(case.budget, before, before, case.now).failures)
    too_many = failed_now and len(after.failures) >= case.budget.failures_per_hour
    if case.freeze.frozen or not (gap or too_many):
        return None
    return by_bot(case.freeze, "repair-audit-gap" if gap else "repair-froze-itself", case.now)


def _work(case: Case, before: Plan, *, everything: bool) -> tuple[str, ...]:
    """The steps that an executor is woken for: those that newly need one, or all when time is looked at."""
    earlier = {one.action.step for one in before.steps if wakes(_on(case, before), one)}
    now = [one.action.step for one in case.plan.steps if wakes(case, one)]
    return tuple(one for one in now if everything or one not in earlier)


def _told(case: Case, event: Event, ruling: Ruling) -> Entry:
    step = step_of(event)
    known = case.plan.find(step)
    if isinstance(ruling, Refused):
        entry = _entry(case, event.actor, "refused", ruling.reason, ruling.values, step=known)
        details = {**entry.details, "event": tag_of(event), **event.pressed}
    else:
        entry = _entry(case, event.actor, ruling.type or tag_of(event), ruling.reason, ruling.values, step=known)
        details = {**entry.details, **ruling.details, **event.pressed}
    return msgspec.structs.replace(entry, step=step, details=details)


def _entry(
    case: Case, actor: Actor, kind: str, reason: str, values: Mapping[str, str], step: PlanStep | None = None
) -> Entry:
    return Entry(
        type=kind,
        at=case.now,
        actor=actor,
        plan=case.plan.id,
        incident=case.plan.incident,
        step=step.action.step if step else "",
        digest=step.digest if step else "",
        details={**values, "reason": reason},
    )
