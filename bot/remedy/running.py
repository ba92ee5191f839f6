"""What an executor does: intent, request, outcome, and what the cluster shows afterwards."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from bot.remedy.cordons import Cordons
from bot.remedy.digest import digest_of, exec_id_of
from bot.remedy.events import Adopted, Begun, Dispatched, Effect, LookResult, Outcome, Verified
from bot.remedy.plan import PlanStep, StepState
from bot.remedy.rules import (
    Case,
    Moved,
    Refused,
    Ruling,
    because,
    by_executor,
    by_person,
    can_be_seen,
    explained,
    names,
    put,
    quotes,
    stopped,
    waits_for,
)
from bot.remedy.runbook import Verb
from bot.remedy.spending import recent
from bot.remedy.table import IN_FLIGHT, Cause, moved
from bot.remedy.temporary import with_end
from bot.remedy.timing import looking
from bot.remedy.voting import unauthorised

#: What an executor may say of its request: the next state and the reason. `satisfied` is not verified yet: the object
#: is as it should be, and whether that had its effect is what the probe asks.
OUTCOMES: Mapping[Effect, tuple[StepState, str]] = {
    Effect.APPLIED: (StepState.APPLIED, "repair-applied"),
    Effect.SATISFIED: (StepState.APPLIED, "repair-already-so"),
    Effect.REFUSED: (StepState.FAILED, "repair-not-applied"),
    Effect.DRIFTED: (StepState.SUPERSEDED, "repair-drifted"),
    Effect.UNCLEAR: (StepState.UNKNOWN, "repair-unclear"),
}
#: What it may say where nothing was sent yet; of `unclaimed` only once the window is over.
NOT_BEGUN = frozenset({Effect.NOT_BEGUN, Effect.UNCLAIMED})
#: What a probe may say in the end.
ANSWERS: Mapping[LookResult, tuple[StepState, str]] = {
    LookResult.HOLDS: (StepState.VERIFIED, "repair-verified"),
    LookResult.FAILS: (StepState.FAILED, "repair-not-seen"),
    LookResult.CANNOT_TELL: (StepState.UNKNOWN, "repair-cannot-tell"),
}


def begun(case: Case, step: PlanStep, event: Begun) -> Ruling:
    """The intent, written down before anything is sent. Every condition of running is asked again here."""
    refusals = (
        _stopped(case, step),
        _unfit(case, step),
        unauthorised(case, step, event) or _overheard(step, event),
        _crowded(case, step),
        _too_many_cordoned(case, step, event),
    )
    if refusal := next(filter(None, refusals), None):
        return refusal
    if not event.owner or event.lease_until <= case.now:
        return Refused("repair-no-lease", names(step))
    values = {**names(step), "owner": event.owner}
    exec_id = exec_id_of(case.plan.id, step.action.step, step.digest)
    one = moved(
        step,
        Cause.BEGUN,
        StepState.INTENT,
        case.now,
        owner=event.owner,
        owners=(*step.owners, event.owner),
        lease_until=event.lease_until,
        exec_id=exec_id,
    )
    return Moved(
        plan=put(case.plan, explained(one, "repair-begun", values)),
        reason="repair-begun",
        values=values,
        type="intent",
        details={"exec_id": exec_id, "owner": event.owner, "approvers": ", ".join(one.id for one in step.approved_by)},
    )


def _stopped(case: Case, step: PlanStep) -> Refused | None:
    """Whether everything stands still."""
    if refusal := stopped(case, step):
        return refusal
    if not case.policy.mutations or not by_executor(case.plan, step):
        return Refused("repair-mutations-off", names(step))
    return None


def _unfit(case: Case, step: PlanStep) -> Refused | None:
    """Whether the step is not, or no longer, what its turn has come for."""
    if digest_of(step.action) != step.digest:
        return Refused("repair-other-digest", names(step))
    waiting = waits_for(case.plan, step, case.policy)
    return Refused("repair-out-of-order", {**names(step), "waits": ", ".join(waiting)}) if waiting else None


def _crowded(case: Case, step: PlanStep) -> Refused | None:
    """Whether too much was done lately, or too much is being done."""
    busy = [one for one in case.plan.steps if one.state in IN_FLIGHT]
    if busy:
        return Refused("repair-one-at-a-time", {**names(step), "other": busy[0].action.step})
    if case.budget.running >= case.budget.at_once:
        return Refused("repair-too-many-at-once", {**names(step), "limit": str(case.budget.at_once)})
    if len(recent(case.budget, case.now).mutations) >= case.budget.per_hour:
        return Refused("repair-too-many-an-hour", {**names(step), "limit": str(case.budget.per_hour)})
    return None


def _too_many_cordoned(case: Case, step: PlanStep, event: Begun) -> Refused | None:
    """Whether the bot keeps as many nodes cordoned as it may; those in flight are counted by the journal."""
    if step.action.verb is not Verb.CORDON:
        return None
    seen = event.cordons or Cordons(why="repair-cordons-uncounted")
    if seen.why:
        return Refused("repair-cordons-unread", because(names(step), seen.why, seen.values))
    count = seen.cordoned + case.budget.cordoning
    values = {"count": str(count), "limit": str(seen.limit), "nodes": str(seen.nodes)}
    return Refused("repair-too-many-cordoned", {**names(step), **values}) if count >= seen.limit else None


def dispatched(case: Case, step: PlanStep, event: Dispatched) -> Ruling:
    """The last look before the request goes out. If it is ours, everything is asked anew; a no ends the step here."""
    if refusal := _not_owned(step, event.owner):
        return refusal
    if step.lease_until is None or step.lease_until <= case.now:
        return Refused("repair-no-lease", names(step))
    no = _stopped(case, step) or _unfit(case, step) or unauthorised(case, step, event)
    no = no or _overheard(step, event) or _late(case, step)
    if no:
        return _not_begun(case, step, Cause.DISPATCHED, no)
    one = moved(step, Cause.DISPATCHED, StepState.DISPATCHED, case.now, expires_at=None)
    one = explained(one, "repair-dispatched", names(step))
    return Moved(
        plan=put(case.plan, one), reason="repair-dispatched", values=names(step), details={"exec_id": step.exec_id}
    )


def _overheard(step: PlanStep, event: Begun | Dispatched) -> Refused | None:
    """Whether nobody could be told what comes of it: whoever approved counted on following it in the thread."""
    return Refused("repair-thread-shared", {**names(step), "channel": event.shared}) if event.shared else None


def _late(case: Case, step: PlanStep) -> Refused | None:
    """Whether the time from the last approval to the request is over."""
    in_time = step.expires_at is not None and case.now < step.expires_at
    return None if in_time else Refused("repair-execution-expired", names(step))


def _not_begun(case: Case, step: PlanStep, cause: Cause, no: Refused) -> Moved:
    """The intent's outcome where nothing was sent, with who or what said no."""
    values = because(names(step), no.reason, no.values)
    one = moved(step, cause, StepState.FAILED, case.now, expires_at=None)
    details = {"result": Effect.NOT_BEGUN.value, "why": no.reason, "exec_id": step.exec_id}
    plan = put(case.plan, explained(one, "repair-not-sent", values))
    return Moved(plan=plan, reason="repair-not-sent", values=values, type="outcome", details=details)


def outcome(case: Case, step: PlanStep, event: Outcome) -> Ruling:
    """What came of the request, by whoever holds the step."""
    if refusal := _not_owned(step, event.owner):
        return refusal
    if event.result in NOT_BEGUN and step.state is StepState.INTENT:
        if event.result is Effect.UNCLAIMED and not _late(case, step):
            return Refused("repair-claim-waits", because(names(step), event.why, event.values))
        return _not_begun(case, step, Cause.OUTCOME, Refused(event.why, event.values))
    if event.result not in OUTCOMES:
        return Refused("repair-no-such-result", {**names(step), "result": event.result.value})
    state, reason = OUTCOMES[event.result]
    if event.claim is not None and state is not StepState.APPLIED:
        # Whoever claimed it may have sent it, whatever is to be seen now.
        state, reason = StepState.UNKNOWN, "repair-claimed-before"
    claimed_by = {"owner": event.claim.owner or "-"} if event.claim else {}
    values = because({**names(step), **claimed_by}, event.why, event.values)
    until = case.now + looking(step) if state is StepState.APPLIED else None
    one = moved(step, Cause.OUTCOME, state, case.now, expires_at=until, evidence=event.evidence or step.evidence)
    if state is StepState.APPLIED:
        one = msgspec.structs.replace(with_end(one, case), applied_at=event.world)
    stranger = event.claim if event.claim and event.claim.owner not in ("", *step.owners) else None
    one = msgspec.structs.replace(one, stranger=stranger)
    return Moved(
        plan=put(case.plan, explained(one, reason, values)),
        reason=reason,
        values=values,
        details=_told(event, exec_id=step.exec_id),
        gap={"owner": stranger.owner, "expected": stranger.audit, "exec_id": step.exec_id} if stranger else {},
    )


def adopted(case: Case, step: PlanStep, event: Adopted) -> Ruling:
    """Another executor goes on where one fell silent; it looks before it does anything."""
    if step.lease_until is not None and step.lease_until > case.now:
        return Refused("repair-held", {**names(step), "owner": step.owner})
    if not event.owner or event.lease_until <= case.now:
        return Refused("repair-no-lease", names(step))
    values = {**names(step), "owner": event.owner, "before": step.owner}
    one = moved(
        step,
        Cause.ADOPTED,
        step.state,
        case.now,
        owner=event.owner,
        owners=(*step.owners, event.owner),
        lease_until=event.lease_until,
    )
    details = {"owner": event.owner, "before": step.owner, "exec_id": step.exec_id}
    return Moved(plan=put(case.plan, one), reason="repair-adopted", values=values, details=details)


def verified(case: Case, step: PlanStep, event: Verified) -> Ruling:
    """What the probe says. Of a person's step only the good news counts; it goes on waiting otherwise."""
    state, reason = ANSWERS[event.result]
    values = because(names(step), event.why, event.values)
    if refusal := _cannot_verify(case, step):
        return refusal
    waits_on = by_person(case.plan, step) or step.state is StepState.ATTESTED
    if waits_on and state is not StepState.VERIFIED:
        return Refused("repair-not-seen-yet", values)
    one = moved(
        step,
        Cause.VERIFIED,
        state,
        case.now,
        expires_at=None,
        lease_until=None,
        evidence=event.evidence or step.evidence,
    )
    if state is StepState.VERIFIED:
        one = with_end(one, case)
        reason = "repair-verified-already-so" if step.why == "repair-already-so" else reason
    return Moved(
        plan=put(case.plan, explained(one, reason, values)), reason=reason, values=values, details=_told(event)
    )


def _cannot_verify(case: Case, step: PlanStep) -> Refused | None:
    """A change that nobody made yet is not verified, and neither is what the cluster does not show."""
    is_bots = step.state is StepState.AWAITING and by_executor(case.plan, step)
    if is_bots or (step.state is StepState.APPROVED and not by_person(case.plan, step)):
        return Refused("repair-not-begun", names(step))
    is_executed = step.action.verb is Verb.OBSERVE or by_executor(case.plan, step)
    return None if is_executed or can_be_seen(step) else Refused("repair-attested-only", names(step))


def _not_owned(step: PlanStep, owner: str) -> Refused | None:
    return (
        None if owner and owner == step.owner else Refused("repair-other-owner", {**names(step), "owner": step.owner})
    )


def _told(event: Outcome | Verified, **more: str) -> dict[str, str]:
    return {"result": event.result.value, "why": event.why, "evidence": quotes(event.evidence), **more}
