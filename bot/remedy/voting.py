"""Who decides what: the option that is chosen once, approvals, the veto, and approving alone with a reason."""

from __future__ import annotations

import msgspec

from bot.remedy.digest import digest_of
from bot.remedy.events import Approved, Begun, BrokeGlass, Chosen, Denied, Dispatched, Reported
from bot.remedy.plan import BOT, Actor, Plan, PlanState, PlanStep, StepState, Vote
from bot.remedy.rules import (
    WORD_KEPT,
    Case,
    Moved,
    Refused,
    Ruling,
    approvals,
    by_executor,
    doubts,
    excluded,
    explained,
    lacks_channel,
    may_not,
    names,
    put,
    stopped,
    takes_approval,
    untold,
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
    count = approvals(case.plan, step, case.policy)
    is_denied = not all(one.approve for one in step.votes)
    return count.have >= _needed(case, step) and not is_denied and not lacks_channel(step, case.policy)


def _needed(case: Case, step: PlanStep) -> int:
    return 1 if step.break_glass else case.quorum(step)


def _too_few(case: Case, step: PlanStep) -> Refused:
    """Why a step is not approved: who could not be told, or that there are too few however they are counted."""
    count = approvals(case.plan, step, case.policy)
    if count.have >= _needed(case, step) and lacks_channel(step, case.policy):
        return Refused("repair-terminal-needed", names(step))
    if not count.unsure:
        return Refused("repair-quorum-missing", names(step))
    return Refused("repair-people-unsure", {**names(step), **doubts(count, _needed(case, step))})


def unauthorised(case: Case, step: PlanStep, event: Begun | Dispatched | Reported) -> Refused | None:
    """Why the approvals, which were asked for again, are not enough any more."""
    if not event.voters_may:
        return Refused("repair-voter-may-not", {**names(step), "who": event.voter, "why": event.why_not})
    # Who could not be told when they approved is asked for again here, and so is who has become one person since.
    return None if enough(case, step) else _too_few(case, step)


def approved(case: Case, step: PlanStep, event: Approved) -> Ruling:
    """One more approval; with the last one the time to begin runs."""
    if refusal := _no_vote(case, step, event) or _asked_for_it(case, step, event.actor):
        return refusal
    voted = _with(step, event)
    count, need = approvals(case.plan, voted, case.policy), case.quorum(step)
    have = count.have
    values = {**names(step), "who": event.actor.id, "have": str(have), "need": str(need)}
    if not enough(case, voted):
        # A word that is there already counts anew where it is known by now who said it, or is another channel's.
        is_new_channel = lacks_channel(step, case.policy) and not lacks_channel(voted, case.policy)
        if not is_new_channel and (refusal := _approved_before(case, step, event.actor)):
            return refusal
        reason = "repair-approval-counted"
        if count.have >= need:
            reason = "repair-terminal-needed"
        elif count.unsure:
            reason, values = WORD_KEPT, {**values, **doubts(count, need)}
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
    persons = case.persons
    skipped = tuple(one for one in persons.people(event.skipped) if not persons.same(one, event.actor))
    missing = max(0, case.quorum(step) - approvals(case.plan, step, case.policy).have)
    voted = msgspec.structs.replace(_with(step, event), break_glass=event.reason, skipped=skipped)
    if not enough(case, voted):
        return _too_few(case, voted)
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
    return stopped(case, step) or (untold(case.persons, event.actor) if several else None)


def _asked_for_it(case: Case, step: PlanStep, actor: Actor) -> Refused | None:
    """The refusal of whoever asked for the plan, where they do not count."""
    if not excluded(case, step, actor):
        return None
    asked = case.plan.requester
    return _of_one_person(case, step, actor, asked, "repair-requester-excluded", "repair-requester-same-person")


def _approved_before(case: Case, step: PlanStep, actor: Actor) -> Refused | None:
    """The refusal of a person who has approved the step already."""
    before = next((one for one in step.approved_by if case.persons.same(actor, one)), None)
    if before is None:
        return None
    return _of_one_person(case, step, actor, before, "repair-voted-already", "repair-same-person")


def _of_one_person(case: Case, step: PlanStep, actor: Actor, other: Actor, plain: str, accounts: str) -> Refused:
    """The plain reason where it is one account, or the configuration lists both as one; otherwise with both names."""
    values = {**names(step), "who": actor.id}
    is_listed = case.policy.persons({}).same(actor, other)
    return Refused(plain, values) if is_listed else Refused(accounts, {**values, "other": other.id})


def _other_digest(step: PlanStep, digest: str) -> Refused | None:
    return None if digest == step.digest else Refused("repair-other-digest", names(step))


def _with(step: PlanStep, event: Approved | BrokeGlass) -> PlanStep:
    reason = event.reason if isinstance(event, BrokeGlass) else ""
    vote = Vote(actor=event.actor, approve=True, digest=event.digest, at=event.at, reason=reason)
    return msgspec.structs.replace(step, votes=(*(one for one in step.votes if one.actor != event.actor), vote))


def _begin_window(case: Case, step: PlanStep, cause: Cause) -> PlanStep:
    return waiting(case, moved(step, cause, StepState.APPROVED, case.now))
