"""From the intent to its outcome: the claim in the cluster, everything asked anew, one request, what came of it.

A request goes out only from the attempt that created the claim a moment before. A claim that is there already is looked
behind and never acted upon, whoever made it.
"""

from __future__ import annotations

from datetime import datetime

import structlog

from bot.app.ports import Clock
from bot.app.repair.attributing import Said, asked, said_by_bot
from bot.app.repair.deciding import Decider
from bot.app.repair.observing import Observer
from bot.app.repair.ports import Authority, Claimed, ClaimResult, Hands, Journal, Result
from bot.app.repair.roots_gone import Roots
from bot.app.repair.standing import is_untouched
from bot.app.repair.telling import Teller
from bot.remedy.decision import Decision
from bot.remedy.events import Dispatched, Effect, Outcome
from bot.remedy.plan import Holder, Plan, PlanStep, StepState
from bot.remedy.probes import Answer
from bot.remedy.reporting import ROOT_OVER

_log = structlog.get_logger(__name__)


class Ours(Said):
    """Of every event of an attempt to carry a step out."""

    step: str
    owner: str


def ours(plan: Plan, step: str, what: str, owner: str, at: datetime) -> Ours:
    """An event of the attempt of this name; no attempt says the same thing twice."""
    return {**said_by_bot(at, f"{plan.id}/{step}/{what}/{owner}"), "step": step, "owner": owner}


class Sender:
    """Sends what is intended.

    Args:
        journal: where the audit stands, for the claim.
        decider: writes what happens.
        hands: the cluster, with the executor's own rights.
        authority: who may; asked again for everyone who approved.
        observer: asks preconditions.
        roots: whether what a plan repairs is still there.
        teller: tells plans.
        clock: decision time.
        world: world time.
    """

    def __init__(
        self,
        *,
        journal: Journal,
        decider: Decider,
        hands: Hands,
        authority: Authority,
        observer: Observer,
        roots: Roots,
        teller: Teller,
        clock: Clock,
        world: Clock,
    ) -> None:
        self._journal = journal
        self._decider = decider
        self._hands = hands
        self._authority = authority
        self._observer = observer
        self._roots = roots
        self._teller = teller
        self._clock = clock
        self._world = world

    def send(self, plan: Plan, step: PlanStep) -> bool:
        """Claim the intended step and send its request, or write why not; whether the plan changed.

        Raises:
            NotWritten, Contended, NoSuchPlan: see `Decider.decide`; then nothing was sent, or what came of it is seen
                when the lease is over.
        """
        claimed = self._claimed(plan, step)
        if claimed.result is ClaimResult.THERE:
            seen = self._hands.observe(step.exec_id, step.action)
            return self._settle(plan, step, seen, claim=claimed.holder or Holder())
        if claimed.result is not ClaimResult.OURS:
            result = Effect.NOT_BEGUN if claimed.result is ClaimResult.REFUSED else Effect.UNCLAIMED
            return self._settle(plan, step, Result(result=result, why=claimed.why, values=claimed.values))
        # Once something of the plan was done, also by people, what it repairs may be gone by its own doing.
        if is_untouched(plan, beside=step.action.step) and self._roots.is_gone(plan):
            values = {"root": plan.root, "subject": str(plan.subject)}
            return self._settle(plan, step, Result(result=Effect.DRIFTED, why=ROOT_OVER, values=values))
        for call in step.action.precondition:
            answer = self._observer.of_cluster(call, step.action.target.ref)
            if answer.answer is not Answer.HOLDS:
                no = Result(result=Effect.DRIFTED, why=answer.why, values=answer.values, evidence=answer.evidence)
                return self._settle(plan, step, no)
        return self._dispatch(plan, step)

    def observe(self, plan: Plan, step: PlanStep) -> bool:
        """Write what the cluster shows of a request that somebody else sent."""
        return self._settle(plan, step, self._hands.observe(step.exec_id, step.action))

    def held(self, plan: Plan, step: PlanStep, decision: Decision) -> None:
        """Write and say once why an approved step does not run."""
        key = f"{plan.id}/{step.action.step}/held/{decision.reason}"
        if not decision.changed and not self._journal.known(key):
            self._journal.note(key, *decision.entries)
        self._teller.held(decision.plan, key, decision.reason, decision.values)

    def _claimed(self, plan: Plan, step: PlanStep) -> Claimed:
        holder = Holder(owner=step.owner, audit=self._journal.read(plan.id).head)
        return self._hands.claim(step.exec_id, step.action, step.approved_by, holder)

    def _dispatch(self, plan: Plan, step: PlanStep) -> bool:
        """Ask everything once more and send; a no is the step's end, and nothing was sent."""
        name, frozen = step.action.step, self._hands.frozen()

        def dispatched(now: Plan) -> Dispatched:
            said = self._said(plan, step, "dispatched")
            return Dispatched(**said, shared=self._teller.shared(now), **asked(self._authority, now, name))

        decision = self._decider.decide(plan.id, dispatched, frozen=frozen if frozen.frozen else None, refusals=False)
        if decision.refused or decision.plan.step(name).state is not StepState.DISPATCHED:
            _log.info("step_not_sent", plan=plan.id, step=name, reason=decision.reason)
            self._teller.try_to_catch_up(plan.id)
            return decision.changed
        before = self._world.now()
        result = self._hands.act(step.exec_id, step.action)
        if result.result is Effect.UNCLEAR:
            result = self._hands.observe(step.exec_id, step.action)
            if result.result is not Effect.APPLIED:
                # It may still be on its way. When the lease is over it is not, and somebody looks again.
                _log.warning("request_unclear", plan=plan.id, step=name, why=result.why, values=dict(result.values))
                return False
        return self._settle(plan, step, result, before=before)

    def _settle(
        self,
        plan: Plan,
        step: PlanStep,
        result: Result,
        *,
        before: datetime | None = None,
        claim: Holder | None = None,
    ) -> bool:
        """Write what came of it, and tell it."""
        event = Outcome(
            **self._said(plan, step, "outcome"),
            result=result.result,
            world=before or self._world.now(),
            why=result.why,
            values=result.values,
            evidence=result.evidence,
            claim=claim,
        )
        decision = self._decider.decide(plan.id, lambda _: event, refusals=False)
        told = {"result": event.result.value, "why": event.why, "values": dict(event.values)}
        _log.info("step_outcome", plan=plan.id, step=event.step, **told)
        if decision.refused and event.result is Effect.UNCLAIMED:
            self.held(plan, step, decision)
        self._teller.try_to_catch_up(plan.id)
        return decision.changed

    def _said(self, plan: Plan, step: PlanStep, what: str) -> Ours:
        return ours(plan, step.action.step, what, step.owner, self._clock.now())
