"""What every rule is given and what it answers: the case, and a step moved with its reason, or a refusal with its."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TypeVar

import msgspec

from bot.model.findings import Evidence
from bot.remedy.decision import Budget, Freeze, Policy
from bot.remedy.events import Person
from bot.remedy.persons import Count, Persons
from bot.remedy.plan import BOT, TERMINAL, Actor, Plan, PlanState, PlanStep, StepState, Vote
from bot.remedy.runbook import MUTATIONS, PASTED, Verb
from bot.remedy.table import FINISHED, IN_FLIGHT

Value = TypeVar("Value")
#: A word that is written down and may not count yet: a reason of the catalogue.
WORD_KEPT = "repair-word-kept"
#: Something is awaited of these, whatever became of their plan.
_PENDING = IN_FLIGHT | {StepState.UNKNOWN}
#: Evidence that an entry of the audit quotes.
_QUOTED = 8


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a rule may look at."""

    plan: Plan
    now: datetime
    freeze: Freeze
    budget: Budget
    policy: Policy

    def quorum(self, step: PlanStep) -> int:
        """How many people the step takes."""
        return self.policy.quorum_of(step.action.risk)

    @property
    def persons(self) -> Persons:
        """Tells the plan's people apart."""
        return self.policy.persons(self.plan.known)


class Refused(msgspec.Struct, frozen=True):
    """The event changes nothing; why, as a reason key."""

    reason: str
    values: Mapping[str, str] = {}


class Moved(msgspec.Struct, frozen=True, kw_only=True):
    """The event counts: the plan as it is now, why, and what the audit says of it.

    `type` is the entry's; empty where it is the event's own name. `gap` is what shows that the audit lost entries.
    """

    plan: Plan
    reason: str
    values: Mapping[str, str] = {}
    type: str = ""
    details: Mapping[str, str] = {}
    gap: Mapping[str, str] = {}


Ruling = Moved | Refused


def put(plan: Plan, step: PlanStep) -> Plan:
    """The plan with this step in the place of the one of its id."""
    steps = tuple(step if one.action.step == step.action.step else one for one in plan.steps)
    return msgspec.structs.replace(plan, steps=steps)


def explained(step: PlanStep, reason: str, values: Mapping[str, str]) -> PlanStep:
    """The step with the reason of its last change."""
    return msgspec.structs.replace(step, why=reason, values=values)


def names(step: PlanStep) -> dict[str, str]:
    """The blanks that every reason about a step may use."""
    return {"step": step.action.step, "subject": str(step.action.target.ref), "name": step.action.target.ref.name}


#: Before a blank of the reason inside, where the one outside has the same, or the one inside has one inside itself.
INSIDE = "why-"


def because(outside: Mapping[str, str], why: str, values: Mapping[str, str]) -> dict[str, str]:
    """The values of a reason whose `why` is a reason itself, with values of its own; `inside` gives them back."""
    told = {**outside, "why": why}
    hidden = {name for name, value in values.items() if name.startswith(INSIDE) or told.get(name, value) != value}
    plain = {name: value for name, value in values.items() if name not in hidden}
    return {**plain, **{INSIDE + name: values[name] for name in hidden}, **told}


def inside(values: Mapping[str, Value]) -> dict[str, Value]:
    """The values of the reason that stands under `why`."""
    own = {name.removeprefix(INSIDE): value for name, value in values.items() if name.startswith(INSIDE)}
    plain = {name: value for name, value in values.items() if name != "why" and not name.startswith(INSIDE)}
    return {**plain, **own}


def may_not(actor: Actor, person: Person) -> Refused | None:
    """The refusal of somebody who may not, and of the bot, which decides nothing."""
    if actor == BOT:
        return Refused("repair-bot-decides-nothing")
    return None if person.may else Refused("repair-may-not", {"who": actor.id, "why": person.why})


def untold(persons: Persons, actor: Actor) -> Refused | None:
    """The refusal where several people are needed, of somebody whom nothing tells from anybody else."""
    why = persons.untold(actor)
    return Refused("repair-person-unknown", {"who": actor.id, "why": why}) if why else None


def doubts(count: Count, needed: int) -> dict[str, str]:
    """The values of a reason that says how many people are certain, of how many, and who could not be told and why."""
    whys = "\n".join(dict.fromkeys(count.unsure.values()))
    return {"have": str(count.have), "need": str(needed), "unsure": ", ".join(count.unsure), "doubt": whys}


def stopped(case: Case, step: PlanStep, reason: str = "repair-frozen") -> Refused | None:
    """The refusal while everything is frozen, with who froze it and why."""
    return Refused(reason, {**names(step), **frozen_by(case.freeze)}) if case.freeze.frozen else None


def frozen_by(freeze: Freeze) -> dict[str, str]:
    """Who froze everything and why; the bot where nobody is named: it found a reason, or could not read."""
    return {"who": (freeze.by or BOT).id, "why": freeze.why}


def by_person(plan: Plan, step: PlanStep) -> bool:
    """Whether a person carries the step out: on the host, where another owner decides, or because mutations are off."""
    return step.action.verb in (Verb.HOST, Verb.HAND_OVER) or (plan.dry and step.action.verb in MUTATIONS)


def by_executor(plan: Plan, step: PlanStep) -> bool:
    """Whether the bot changes something, so that people must approve it."""
    return step.action.verb in MUTATIONS and not plan.dry


def takes_approval(plan: Plan, step: PlanStep, policy: Policy) -> bool:
    """Whether people must agree before the step is done: to what the bot changes, and to what takes several people.

    Where one person is enough for what people do themselves, whoever reports it has answered for it. A dry plan is
    commands only: where the bot carries nothing out, it keeps nobody from them.
    """
    is_heavy = by_person(plan, step) and policy.quorum_of(step.action.risk) > 1
    return by_executor(plan, step) or (is_heavy and not plan.dry)


def is_to_do(plan: Plan, step: PlanStep, policy: Policy) -> bool:
    """Whether people may carry the step out now, and report it."""
    agreed = step.state is StepState.APPROVED or not takes_approval(plan, step, policy)
    return agreed and by_person(plan, step) and waits_for_people(plan, step)


def is_its_turn(plan: Plan, step: PlanStep) -> bool:
    """Whether the steps before it are done and it is open: people approve it or do it, or the bot looks for it."""
    return step.state is StepState.AWAITING or (step.state is StepState.APPROVED and by_person(plan, step))


def waits_for_people(plan: Plan, step: PlanStep) -> bool:
    """Whether it is people's turn: to approve the step, or to carry it out and report it."""
    return is_its_turn(plan, step) and step.action.verb is not Verb.OBSERVE


def is_over(plan: Plan) -> bool:
    """Whether nothing of the plan can happen any more, nobody has to settle what did, and nothing is to be taken back.

    The journal lays such a plan aside, and no incident is kept open by it.
    """
    waits = any(one.state in _PENDING or one.temporary_until for one in plan.steps)
    return plan.state in FINISHED and not waits


def excluded(case: Case, step: PlanStep, actor: Actor) -> bool:
    """Whether this is the requester of a step that takes several people, by whatever account."""
    return case.quorum(step) > 1 and case.persons.same(actor, case.plan.requester)


def approvals(plan: Plan, step: PlanStep, policy: Policy) -> Count:
    """How many people have approved exactly this step, for certain; of a broken glass only who broke it answers."""
    actors = [one.actor for one in counted(step)]
    takes_several = policy.quorum_of(step.action.risk) > 1
    return policy.persons(plan.known).count(actors, beside=plan.requester if takes_several else BOT)


def counted(step: PlanStep) -> tuple[Vote, ...]:
    """The approvals that count for exactly this step; of a broken glass that of who broke it."""
    votes = (one for one in step.votes if one.approve and one.digest == step.digest)
    return tuple(one for one in votes if one.reason or not step.break_glass)


def lacks_channel(step: PlanStep, policy: Policy) -> bool:
    """Whether a word from a terminal is wanted, and none of those that count came from one."""
    if not policy.second_channel or policy.quorum_of(step.action.risk) < 2:
        return False
    return not any(one.actor.id.startswith(TERMINAL) for one in counted(step))


def can_be_seen(step: PlanStep) -> bool:
    """Whether the cluster shows that the step worked; otherwise it can be attested only."""
    return step.action.verify.probe not in PASTED


def is_looked_at(plan: Plan, step: PlanStep) -> bool:
    """Whether the cluster's answer is awaited: for what the bot changed, what people may have done or say they did."""
    if not can_be_seen(step):
        return False
    if step.state is StepState.APPLIED:
        return True
    if plan.state is PlanState.DONE:
        return step.state is StepState.ATTESTED
    if plan.state is not PlanState.ACTIVE:
        return False
    return step.state is StepState.ATTESTED or (is_its_turn(plan, step) and not by_executor(plan, step))


def opens(step: PlanStep, policy: Policy) -> bool:
    """Whether the steps after it may be offered.

    Attested counts with evidence, with a second person, or in a team of one; but not where the step is a change of
    the cluster (that people carry out while mutations are off): the bot looks itself, for what it protects hangs on it.
    """
    if step.state is StepState.VERIFIED:
        return True
    if step.state is not StepState.ATTESTED or step.action.verb in MUTATIONS:
        return False
    return bool(step.evidence) or len(set(step.told_by)) > 1 or policy.solo


def waits_for(plan: Plan, step: PlanStep, policy: Policy) -> tuple[str, ...]:
    """The steps before it that are not done."""
    return tuple(one for one in step.after if not opens(plan.step(one), policy))


def quotes(evidence: Iterable[Evidence]) -> str:
    """Evidence as text for the audit, one line each."""
    lines = [
        f"{one.source} {one.object} {one.field}: {one.quote}" + (f" ({one.reporter.name})" if one.reporter else "")
        for one in evidence
    ]
    return "\n".join(lines[:_QUOTED])
