"""Who decides what: the option that is chosen once, approvals, the veto, and approving alone with a reason."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from bot.remedy.digest import digest_of
from bot.remedy.events import Approved, Begun, BrokeGlass, Chosen, Denied, Dispatched
from bot.remedy.plan import BOT, Actor, Plan, PlanState, PlanStep, StepState, Vote
from bot.remedy.rules import (
    Case,
    Moved,
    Refused,
    Ruling,
    approvers,
    by_executor,
    cannot_tell,
    excluded,
    explained,
    may_not,
    names,
    put,
    stopped,
    takes_approval,
)
from bot.remedy.runbook import Verb
from bot.remedy.table import Cause, moved
from bot.remedy.timing import waiting


def chosen(case: Case, event: Chosen) -> Ruling:
    """A choice makes the plan: its steps are bound to their digests here, and never changed again.

    Whoever opens a plan that an alert brought is its requester.
    """
    if refusal := may_not(event.actor, event.person):
        return refusal
    if not event.option or (flaw := _flaw(case.plan, event.steps)):
        return Refused("repair-ill-built", {"why": flaw if event.option else "option"})
    plan = msgspec.structs.replace(
        case.plan,
        state=PlanState.ACTIVE,
        option=event.option,
        chosen_by=event.actor,
        requester=event.actor if case.plan.requester == BOT else case.plan.requester,
        steps=event.steps,
        leaves=event.leaves,
        predicted=event.predicted,
        due=event.due,
    )
    values = {"option": event.option, "who": event.actor.id}
    return Moved(plan=plan, reason="repair-chosen", values=values, details={"leaves": ", ".join(event.leaves)})


def _flaw(plan: Plan, steps: tuple[PlanStep, ...]) -> str:
    """What is wrong with steps that were built, as `STEP: FIELD`; empty if nothing is."""
    earlier: dict[str, str] = {}
    if not steps:
        return "steps"
    for one in steps:
        before = {earlier[name] for name in one.after if name in earlier}
        fine = {
            "step": one.action.step not in earlier,
            "after": len(before) == len(set(one.after)),
            "predecessors": before <= set(one.action.predecessors) <= set(earlier.values()),
            "cluster": one.action.cluster == plan.cluster,
            "digest": one.digest == digest_of(one.action),
            "state": one.state is StepState.PENDING and not (one.votes or one.told_by or one.break_glass),
        }
        for field, is_fine in fine.items():
            if not is_fine:
                return f"{one.action.step}: {field}"
        earlier[one.action.step] = one.digest
    return ""


def enough(case: Case, step: PlanStep) -> bool:
    """Whether the step is approved: by enough people, or by one alone with a reason, and denied by nobody."""
    needed = 1 if step.break_glass else case.quorum(step)
    return len(approvers(case, step)) >= needed and all(one.approve for one in step.votes)


def told_apart(case: Case, step: PlanStep) -> Refused | None:
    """The refusal where the step takes several people, and it is not known that those who count for it are several."""
    several = case.quorum(step) > 1
    return cannot_tell((*step.approved_by, case.plan.requester), case.plan.known) if several else None


def unauthorised(case: Case, step: PlanStep, event: Begun | Dispatched) -> Refused | None:
    """Why the approvals, which were asked for again, are not enough any more."""
    if not event.voters_may:
        return Refused("repair-voter-may-not", {**names(step), "who": event.voter, "why": event.why_not})
    # Approvals from before anybody asked who people are, or which Slack could not tell then, are asked again here.
    return told_apart(case, step) or (None if enough(case, step) else Refused("repair-quorum-missing", names(step)))


def approved(case: Case, step: PlanStep, event: Approved) -> Ruling:
    """One more approval; with the last one the time to begin runs."""
    refusal = _no_vote(case, step, event) or _no_other_person(case, step, event.actor)
    if refusal:
        return refusal
    voted = _with(step, event)
    have, need = len(approvers(case, voted)), case.quorum(step)
    values = {**names(step), "who": event.actor.id, "have": str(have), "need": str(need)}
    is_enough = enough(case, voted)
    # Here, and not only when it runs: the commands of what people do themselves are shown from now on.
    if is_enough and (refusal := told_apart(case, voted)):
        return refusal
    if not is_enough:
        reason = "repair-approval-counted"
        voted = moved(voted, Cause.APPROVED, StepState.AWAITING, case.now)
    else:
        reason = "repair-approved-solo" if case.policy.solo else "repair-approved"
        voted = _begin_window(case, voted, Cause.APPROVED)
    solo = {"solo": "yes"} if case.policy.solo else {}
    person = " ".join(event.person.identity.names)
    details = {"have": str(have), "need": str(need), **solo, **({"person": person} if person else {})}
    return Moved(plan=put(case.plan, explained(voted, reason, values)), reason=reason, values=values, details=details)


def broke_glass(case: Case, step: PlanStep, event: BrokeGlass) -> Ruling:
    """One person alone, with a reason, who did not ask for the plan; whoever was passed over is named and told."""
    if refusal := _no_vote(case, step, event):
        return refusal
    if excluded(case, step, event.actor):
        return Refused("repair-glass-requester", {**names(step), "who": event.actor.id})
    if not event.reason.strip():
        return Refused("repair-reason-missing", names(step))
    voted = _with(step, event)
    if refusal := told_apart(case, voted):
        return refusal
    skipped = tuple(one for one in case.people(event.skipped) if not case.same(one, event.actor))
    missing = max(0, case.quorum(step) - len(approvers(case, step)))
    voted = msgspec.structs.replace(voted, break_glass=event.reason, skipped=skipped)
    values = {**names(step), "who": event.actor.id, "why": event.reason}
    voted = explained(_begin_window(case, voted, Cause.BROKE_GLASS), "repair-broke-glass", values)
    details = {"why": event.reason, "missing": str(missing), "skipped": ", ".join(one.id for one in skipped)}
    return Moved(plan=put(case.plan, voted), reason="repair-broke-glass", values=values, details=details)


def denied(case: Case, step: PlanStep, event: Denied) -> Ruling:
    """A veto, also after others approved and against one's own earlier word."""
    if refusal := may_not(event.actor, event.person) or _other_digest(step, event.digest):
        return refusal
    values = {**names(step), "who": event.actor.id, "why": event.reason}
    vote = Vote(actor=event.actor, approve=False, digest=event.digest, at=case.now, reason=event.reason)
    votes = (*(one for one in step.votes if one.actor != event.actor), vote)
    done = moved(step, Cause.DENIED, StepState.DENIED, case.now, votes=votes, expires_at=None)
    done = explained(done, "repair-denied", values)
    return Moved(plan=put(case.plan, done), reason="repair-denied", values=values, details={"why": event.reason})


def _no_vote(case: Case, step: PlanStep, event: Approved | BrokeGlass) -> Refused | None:
    """Why this person cannot approve this step now, as far as both ways to approve have it in common."""
    if refusal := may_not(event.actor, event.person) or _other_digest(step, event.digest):
        return refusal
    if step.action.verb is Verb.OBSERVE:
        return Refused("repair-needs-no-approval", names(step))
    is_agreed = takes_approval(case.plan, step, case.policy)
    if not is_agreed and step.action.verb in (Verb.HOST, Verb.HAND_OVER):
        return Refused("repair-done-by-people", names(step))
    if not is_agreed or (by_executor(case.plan, step) and not case.policy.mutations):
        return Refused("repair-mutations-off", names(step))
    several = case.quorum(step) > 1
    # Where one person is enough it does not matter which: who may was asked, and that is all there is to know.
    return stopped(case, step) or (cannot_tell((event.actor,), case.plan.known) if several else None)


def _no_other_person(case: Case, step: PlanStep, actor: Actor) -> Refused | None:
    """Why this approval would be that of a person whose word counts already, or does not count."""
    before = next((one for one in approvers(case, step) if case.same(actor, one)), None)
    values = {**names(step), "who": actor.id}
    if before is not None:
        return _of_one_person(case, actor, before, "repair-voted-already", "repair-same-person", values)
    if excluded(case, step, actor):
        asked = case.plan.requester
        return _of_one_person(case, actor, asked, "repair-requester-excluded", "repair-requester-same-person", values)
    return None


def _of_one_person(
    case: Case, actor: Actor, other: Actor, plain: str, accounts: str, values: Mapping[str, str]
) -> Refused:
    """The plain reason where it is one account, or the configuration lists both as one; otherwise with both names."""
    is_listed = case.policy.same(actor, other, {})
    return Refused(plain, values) if is_listed else Refused(accounts, {**values, "other": other.id})


def _other_digest(step: PlanStep, digest: str) -> Refused | None:
    return None if digest == step.digest else Refused("repair-other-digest", names(step))


def _with(step: PlanStep, event: Approved | BrokeGlass) -> PlanStep:
    reason = event.reason if isinstance(event, BrokeGlass) else ""
    vote = Vote(actor=event.actor, approve=True, digest=event.digest, at=event.at, reason=reason)
    return msgspec.structs.replace(step, votes=(*(one for one in step.votes if one.actor != event.actor), vote))


def _begin_window(case: Case, step: PlanStep, cause: Cause) -> PlanStep:
    return waiting(case, moved(step, cause, StepState.APPROVED, case.now))
