"""What people say of the world: that their own step is done, what became of an unknown one, that they give up."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from bot.remedy.events import Aborted, Proof, Reported, Resolution, Resolved, Superseded
from bot.remedy.plan import Plan, PlanState, PlanStep, StepState, Vote
from bot.remedy.rules import (
    WORD_KEPT,
    Case,
    Moved,
    Refused,
    Ruling,
    because,
    by_person,
    doubts,
    explained,
    is_to_do,
    may_not,
    names,
    put,
    quotes,
    stopped,
    takes_approval,
    untold,
)
from bot.remedy.table import IN_FLIGHT, STEPS, Cause, moved
from bot.remedy.temporary import with_end
from bot.remedy.voting import unauthorised

#: Why a plan ends whose cause is no longer seen: a reason of the catalogue.
ROOT_OVER = "repair-root-over"
#: Distinct people that take responsibility for what the bot did not see.
_WITNESSES = 2


def reported(case: Case, step: PlanStep, event: Reported) -> Ruling:
    """A person's step: with good evidence it is attested; told without any, it takes a second person."""
    if refusal := _no_report(case, step, event):
        return refusal
    values = because({**names(step), "who": event.actor.id}, event.why, event.values)
    if event.result is Proof.GOOD and not event.evidence:
        return Refused("repair-no-such-result", {**values, "result": event.result.value})
    if event.result is Proof.BAD:
        return Refused("repair-report-bad", values)
    told_by = case.persons.people((*step.told_by, event.actor))
    count = case.persons.count(told_by)
    details = {"result": event.result.value, "why": event.why, "evidence": quotes(event.evidence)}
    if event.result is Proof.GOOD:
        reason = "repair-attested"
    elif case.policy.solo:
        reason = "repair-told-solo"
    elif count.have >= _WITNESSES:
        reason = "repair-told-twice"
    elif any(case.persons.same(event.actor, one) for one in step.told_by):
        return Refused("repair-told-already", values)
    else:
        one = moved(step, Cause.REPORTED, step.state, case.now, told_by=told_by)
        reason = "repair-told-second-needed"
        if count.unsure:
            reason, values = WORD_KEPT, {**values, **doubts(count, _WITNESSES)}
        return Moved(plan=put(case.plan, explained(one, reason, values)), reason=reason, values=values, details=details)
    one = moved(
        step,
        Cause.REPORTED,
        StepState.ATTESTED,
        case.now,
        told_by=told_by,
        evidence=event.evidence,
        expires_at=None,
    )
    one = explained(with_end(one, case), reason, values)
    return Moved(plan=put(case.plan, one), reason=reason, values=values, details=details)


def _no_report(case: Case, step: PlanStep, event: Reported) -> Refused | None:
    """Why nothing can be reported of this step, or by this person, now."""
    if refusal := may_not(event.actor, event.person):
        return refusal
    if not by_person(case.plan, step):
        return Refused("repair-not-by-people", names(step))
    if refusal := stopped(case, step, "repair-frozen-report"):
        return refusal
    if not is_to_do(case.plan, step, case.policy):
        return Refused("repair-report-before-approval", {**names(step), "need": str(case.quorum(step))})
    # What was approved has not been done for the bot until it is reported: those who agreed must still be who may.
    if takes_approval(case.plan, step, case.policy) and (refusal := unauthorised(case, step, event)):
        return refusal
    several = event.result is Proof.NONE and not case.policy.solo
    return untold(case.persons, event.actor) if several else None


def resolved(case: Case, step: PlanStep, event: Resolved) -> Ruling:
    """People settle what became of an unknown step; the bot did not see it, so it is attested at best.

    The plan stays halted: what is left is offered as a new plan, in which this step shows as it is then.
    """
    if refusal := may_not(event.actor, event.person):
        return refusal
    if not event.reason.strip():
        return Refused("repair-reason-missing", names(step))
    if not case.policy.solo and (refusal := untold(case.persons, event.actor)):
        return refusal
    happened = event.result is Resolution.HAPPENED
    word = Vote(actor=event.actor, approve=happened, digest=step.digest, at=event.at, reason=event.reason)
    words = (*(one for one in step.resolutions if not case.persons.same(one.actor, event.actor)), word)
    agreed = [one for one in words if one.approve == happened]
    count = case.persons.count(one.actor for one in agreed)
    values = {**names(step), "who": event.actor.id, "said": f"resolved-{event.result.value}", "why": event.reason}
    state = StepState.UNKNOWN
    if count.have >= _WITNESSES or case.policy.solo:
        state = StepState.ATTESTED if happened else StepState.FAILED
        reason = "repair-resolved-happened" if happened else "repair-resolved-did-not"
    elif count.unsure:
        reason, values = WORD_KEPT, {**values, **doubts(count, _WITNESSES)}
    else:
        reason = "repair-resolve-differs" if len(words) > len(agreed) else "repair-resolve-second-needed"
    one = moved(step, Cause.RESOLVED, state, case.now, resolutions=words)
    if state is StepState.ATTESTED:
        one = msgspec.structs.replace(with_end(one, case), told_by=tuple(each.actor for each in agreed))
    one = explained(one, reason, values)
    return Moved(
        plan=put(case.plan, one),
        reason=reason,
        values=values,
        details={"result": event.result.value, "why": event.reason},
    )


def aborted(case: Case, event: Aborted) -> Ruling:
    """The plan is given up; what is in flight still gets its outcome."""
    if refusal := may_not(event.actor, event.person):
        return refusal
    if not event.reason.strip():
        return Refused("repair-reason-missing", {"step": "", "subject": str(case.plan.subject), "name": ""})
    values = {"who": event.actor.id, "why": event.reason}
    plan = _ended(case, Cause.ABORTED, PlanState.ABORTED, "repair-aborted", values)
    return Moved(plan=plan, reason="repair-aborted", values=values, details={"why": event.reason})


def superseded(case: Case, event: Superseded) -> Ruling:
    """A plan whose cause turned out to have a cause, or is gone, gives way, unless something of it is on its way."""
    busy = [one for one in case.plan.steps if one.state in IN_FLIGHT]
    if busy:
        return Refused("repair-runs-already", names(busy[0]))
    reason, values = "repair-superseded", {"by": event.by}
    if not event.by:
        reason, values = ROOT_OVER, {"root": case.plan.root, "subject": str(case.plan.subject)}
    plan = _ended(case, Cause.SUPERSEDED, PlanState.SUPERSEDED, reason, values)
    return Moved(plan=plan, reason=reason, values=values, details=values)


def _ended(case: Case, cause: Cause, state: PlanState, reason: str, values: Mapping[str, str]) -> Plan:
    """The plan in this state, with every step that has not begun."""
    to = StepState(state.value)
    steps = tuple(
        explained(moved(one, cause, to, case.now, expires_at=None), reason, values)
        if (one.state, cause) in STEPS
        else one
        for one in case.plan.steps
    )
    return msgspec.structs.replace(case.plan, state=state, steps=steps)
