"""What time brings by itself: windows that are over, steps whose turn it is, and changes that are to be taken back."""

from __future__ import annotations

from datetime import timedelta

import msgspec

from bot.remedy.decision import Policy
from bot.remedy.events import Gone, TakenBack
from bot.remedy.plan import PlanState, PlanStep, StepState
from bot.remedy.rules import (
    Case,
    Moved,
    Refused,
    Ruling,
    by_executor,
    by_person,
    can_be_seen,
    explained,
    names,
    put,
    quotes,
    waits_for,
)
from bot.remedy.runbook import Verb
from bot.remedy.table import IN_FLIGHT, PLANS, Cause, moved


def lapsed(case: Case) -> tuple[PlanStep, ...]:
    """The steps whose window is over, as they are now. What the bot looks at ends by its own observation."""
    if case.plan.state not in PLANS[Cause.LAPSED]:
        return ()
    return tuple(_expired(one, case) for one in case.plan.steps if _is_over(one, case))


def _is_over(step: PlanStep, case: Case) -> bool:
    if step.state not in (StepState.AWAITING, StepState.APPROVED) or step.action.verb is Verb.OBSERVE:
        return False
    return step.expires_at is not None and step.expires_at <= case.now


def _expired(step: PlanStep, case: Case) -> PlanStep:
    if step.state is StepState.APPROVED:
        reason = "repair-execution-expired"
    elif by_person(case.plan, step):
        reason = "repair-report-expired"
    else:
        reason = "repair-approval-expired"
    return explained(moved(step, Cause.LAPSED, StepState.EXPIRED, case.now, expires_at=None), reason, names(step))


def opened(case: Case) -> tuple[PlanStep, ...]:
    """The steps that all others before them are done for, with the window that begins now."""
    if case.plan.state not in PLANS[Cause.OPENED]:
        return ()
    return tuple(
        explained(
            moved(one, Cause.OPENED, StepState.AWAITING, case.now, expires_at=case.now + _window(case, one)),
            "repair-offered",
            names(one),
        )
        for one in case.plan.steps
        if one.state is StepState.PENDING and not waits_for(case.plan, one, case.policy)
    )


def _window(case: Case, step: PlanStep) -> timedelta:
    if step.action.verb is Verb.OBSERVE:
        return looking(step)
    seconds = case.policy.person_window if by_person(case.plan, step) else case.policy.approval_window
    return timedelta(seconds=seconds)


def looking(step: PlanStep) -> timedelta:
    """How long the bot goes on looking whether the step worked."""
    return timedelta(seconds=step.action.verify.within)


def execution_window(policy: Policy) -> timedelta:
    """How long after the last approval an executor may begin."""
    return timedelta(seconds=policy.execution_window)


def wakes(case: Case, step: PlanStep) -> bool:
    """Whether an executor has something to do for the step: begin it, look at it, or take it over."""
    if step.state in IN_FLIGHT:
        return step.lease_until is None or step.lease_until <= case.now
    if case.plan.state is PlanState.DONE:
        return step.state is StepState.ATTESTED and can_be_seen(step)
    if case.plan.state is not PlanState.ACTIVE:
        return False
    if step.state is StepState.APPROVED:
        return True
    open_to_sight = step.state in (StepState.AWAITING, StepState.ATTESTED) and can_be_seen(step)
    return open_to_sight and not (step.state is StepState.AWAITING and by_executor(case.plan, step))


def temporary(step: PlanStep, case: Case) -> PlanStep:
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
