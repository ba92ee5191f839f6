"""What time brings by itself: windows that close, steps whose turn it is, and those that nobody goes on with."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

from bot.remedy.decision import Freeze, Policy
from bot.remedy.plan import Plan, PlanState, PlanStep, StepState
from bot.remedy.rules import (
    Case,
    approvals,
    by_executor,
    by_person,
    explained,
    frozen_by,
    is_looked_at,
    names,
    takes_approval,
    waits_for,
    waits_for_people,
)
from bot.remedy.runbook import Verb
from bot.remedy.table import IN_FLIGHT, PLANS, Cause, moved

#: Why a step ended that a person may have done in part.
UNREPORTED = frozenset({"repair-report-expired", "repair-report-unconfirmed"})
#: People are reminded once so much of a window is left.
_LEFT = 1 / 3
#: How long after it should have gone on a step may lie there before people are called: an executor that restarts has
#: taken it over by then.
PATIENCE = timedelta(minutes=5)


def lapsed(case: Case) -> tuple[PlanStep, ...]:
    """The steps whose window is over, as they are now. What the bot looks at ends by its own observation."""
    if case.plan.state not in PLANS[Cause.LAPSED]:
        return ()
    return tuple(_expired(one, case) for one in case.plan.steps if _is_over(one, case))


def _is_over(step: PlanStep, case: Case) -> bool:
    if step.state not in (StepState.AWAITING, StepState.APPROVED) or step.action.verb is Verb.OBSERVE:
        return False
    until = case.now
    if waits_for_people(case.plan, step) and case.freeze.frozen and case.freeze.since is not None:
        # What happened to the window after the freeze is nobody's fault.
        until = min(until, case.freeze.since)
    return step.expires_at is not None and step.expires_at <= until


def _expired(step: PlanStep, case: Case) -> PlanStep:
    values = names(step)
    if takes_approval(case.plan, step, case.policy) and step.state is StepState.AWAITING:
        reason = "repair-approval-expired"
        values |= {"have": str(approvals(case.plan, step, case.policy).have), "need": str(case.quorum(step))}
    elif by_person(case.plan, step):
        reason = "repair-report-unconfirmed" if step.told_by else "repair-report-expired"
        values |= {"who": ", ".join(one.id for one in step.told_by)}
    else:
        reason = "repair-execution-expired"
    return explained(moved(step, Cause.LAPSED, StepState.EXPIRED, case.now, expires_at=None), reason, values)


def closing(plan: Plan, policy: Policy, now: datetime) -> tuple[PlanStep, ...]:
    """The steps that wait for people, of whose window the last third has begun and is not over."""
    if plan.state not in PLANS[Cause.LAPSED]:
        return ()
    return tuple(
        one
        for one in plan.steps
        if waits_for_people(plan, one)
        and one.expires_at is not None
        and timedelta(0) < one.expires_at - now <= _window(plan, policy, one) * _LEFT
    )


def stilled(plan: Plan, freeze: Freeze) -> Plan:
    """The plan as people may be shown it now: while everything is frozen, what waits for them is held."""
    if not freeze.frozen or plan.state not in PLANS[Cause.OPENED]:
        return plan
    steps = tuple(_held(one, freeze) if waits_for_people(plan, one) else one for one in plan.steps)
    return msgspec.structs.replace(plan, steps=steps)


def _held(step: PlanStep, freeze: Freeze) -> PlanStep:
    held = msgspec.structs.replace(step, held=True, expires_at=None)
    return explained(held, "repair-step-frozen", {**names(step), **frozen_by(freeze)})


def held(case: Case) -> tuple[PlanStep, ...]:
    """The steps that wait for people, as they are once everything is frozen.

    Only for a freeze that stands in the journal: one that a single process sees would be held by it and let go on by
    all others, each time with a new window.
    """
    if case.freeze.since is None:
        return ()
    after = stilled(case.plan, case.freeze)
    return tuple(new for old, new in zip(case.plan.steps, after.steps, strict=True) if new != old)


def resumed(case: Case) -> tuple[PlanStep, ...]:
    """The steps that were held, once nothing is frozen any more, with a window that begins now."""
    if case.freeze.frozen or case.plan.state not in PLANS[Cause.OPENED]:
        return ()
    return tuple(
        explained(
            waiting(case, msgspec.structs.replace(one, held=False)),
            "repair-offered-again",
            names(one),
        )
        for one in case.plan.steps
        if one.held and waits_for_people(case.plan, one)
    )


def opened(case: Case) -> tuple[PlanStep, ...]:
    """The steps that all others before them are done for, with the window that begins now; none while
    everything is frozen.
    """
    if case.freeze.frozen or case.plan.state not in PLANS[Cause.OPENED]:
        return ()
    return tuple(
        explained(
            waiting(case, moved(one, Cause.OPENED, StepState.AWAITING, case.now)),
            "repair-watched" if one.action.verb is Verb.OBSERVE else "repair-offered",
            names(one),
        )
        for one in case.plan.steps
        if one.state is StepState.PENDING and not waits_for(case.plan, one, case.policy)
    )


def waiting(case: Case, step: PlanStep) -> PlanStep:
    """The step with the window that begins now: to approve it, to carry it out, to report it, or to look."""
    return msgspec.structs.replace(step, expires_at=case.now + _window(case.plan, case.policy, step))


def _window(plan: Plan, policy: Policy, step: PlanStep) -> timedelta:
    if step.action.verb is Verb.OBSERVE:
        return looking(step)
    if takes_approval(plan, step, policy) and step.state is StepState.AWAITING:
        return timedelta(seconds=policy.approval_window)
    return timedelta(seconds=policy.person_window if by_person(plan, step) else policy.execution_window)


def looking(step: PlanStep) -> timedelta:
    """How long the bot goes on looking whether the step worked."""
    return timedelta(seconds=step.action.verify.within)


def wakes(case: Case, step: PlanStep) -> bool:
    """Whether an executor has something to do for the step: begin it, look at it, or take it over."""
    if step.state in IN_FLIGHT:
        return step.lease_until is None or step.lease_until <= case.now
    if step.state is StepState.APPROVED and by_executor(case.plan, step):
        return case.plan.state is PlanState.ACTIVE
    return is_looked_at(case.plan, step)


def abandoned(plan: Plan, now: datetime) -> tuple[PlanStep, ...]:
    """The steps on their way that nobody goes on with: no executor is there, and only an executor may."""
    return tuple(one for one in plan.steps if (since := silent_since(one)) is not None and now - since >= PATIENCE)


def silent_since(step: PlanStep) -> datetime | None:
    """Until when somebody should have gone on with a step that is on its way; None where it is not, or has no end."""
    if step.state is StepState.APPLIED:
        return step.expires_at
    return step.lease_until if step.state in IN_FLIGHT else None
