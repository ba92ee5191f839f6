"""Carries approved steps out, one request each, so that a process may end anywhere and nothing happens twice.

The intent is written before anything is sent; the claim in the cluster is created once; the outcome is what the
cluster shows. Whoever comes after a dead executor looks first and sends again only what was never sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from types import MappingProxyType

import structlog

from bot.app.ports import Clock
from bot.app.repair.attributing import Said, said_by_bot
from bot.app.repair.deciding import Contended, Decider, NoSuchPlan
from bot.app.repair.gaps import stop_for_gap
from bot.app.repair.observing import Observer
from bot.app.repair.ports import Authority, Hands, Journal, NotWritten, Result
from bot.app.repair.telling import Teller
from bot.app.repair.verifying import Verifier
from bot.remedy.decision import Decision
from bot.remedy.events import Adopted, Begun, Dispatched, Outcome
from bot.remedy.plan import Earlier, Plan, PlanStep, StepState
from bot.remedy.probes import Answer
from bot.remedy.rules import by_executor

#: How long a step is ours without a word, for each object that it may change: longer than the requests for one may
#: take, so that nothing is on its way after it.
LEASE = timedelta(seconds=60)
#: Of an outcome whose reason has no blanks.
NO_VALUES: Mapping[str, str] = MappingProxyType({})
_STARTED = frozenset({StepState.INTENT, StepState.DISPATCHED})

_log = structlog.get_logger(__name__)


class _Ours(Said):
    """Of every event of a process that carries a step out."""

    step: str
    owner: str


class Executor:
    """Runs what is approved.

    Args:
        journal: the plans.
        decider: changes them.
        hands: the cluster, with the executor's own rights.
        authority: who may; asked again for everyone who approved.
        observer: asks preconditions.
        verifier: looks whether it worked.
        teller: tells plans.
        clock: decision time.
        world: world time.
        name: a name that no other process has, ever.
    """

    def __init__(
        self,
        *,
        journal: Journal,
        decider: Decider,
        hands: Hands,
        authority: Authority,
        observer: Observer,
        verifier: Verifier,
        teller: Teller,
        clock: Clock,
        world: Clock,
        name: str,
    ) -> None:
        self._journal = journal
        self._decider = decider
        self._hands = hands
        self._authority = authority
        self._observer = observer
        self._verifier = verifier
        self._teller = teller
        self._clock = clock
        self._world = world
        self._name = name

    def run_once(self) -> int:
        """Bring every step one stage on, as far as it is time; how many moved.

        A journal that cannot be written stops that step, before its request if it was not sent yet.

        Raises:
            NotWritten: the plans cannot be read.
        """
        moved = 0
        for plan in self._journal.plans():
            for step in plan.steps:
                try:
                    moved += self._advance(plan, step)
                except (NotWritten, Contended, NoSuchPlan) as why:
                    _log.error("step_not_written", plan=plan.id, step=step.action.step, why=str(why))
        return moved + self._verifier.run_once()

    def _advance(self, plan: Plan, step: PlanStep) -> bool:
        if not by_executor(plan, step):
            return False
        if step.state is StepState.APPROVED:
            return self._begin(plan, step)
        if step.state not in _STARTED:
            return False
        if step.lease_until is None or step.lease_until <= self._clock.now():
            return self._adopt(plan, step)
        # An intent of our own that is not sent: it was written though we were told that it might not be.
        is_ours = step.state is StepState.INTENT and step.owner == self._name
        return is_ours and self._claim(plan, step)

    def _begin(self, plan: Plan, step: PlanStep) -> bool:
        """Write the intent, after every condition was asked again."""
        # Buttons leave before work starts.
        self._teller.try_to_catch_up(plan.id)
        name = step.action.step
        frozen = self._hands.frozen()

        def begun(now: Plan) -> Begun:
            people = {one: self._authority.may(one) for one in now.step(name).approved_by}
            why = "; ".join(f"{one.id}: {person.why}" for one, person in people.items() if not person.may)
            return Begun(
                **self._ours(plan, name, "begun"),
                lease_until=self._lease(step),
                voters_may=not why,
                why_not=why,
            )

        decision = self._decider.decide(plan.id, begun, frozen=frozen if frozen.frozen else None, refusals=False)
        if decision.refused:
            self._held(plan, step, decision)
            return decision.changed
        return self._claim(decision.plan, decision.plan.step(name), is_first=True)

    def _held(self, plan: Plan, step: PlanStep, decision: Decision) -> None:
        """Write and say once why an approved step does not run."""
        key = f"{plan.id}/{step.action.step}/held/{decision.reason}"
        if not decision.changed and not self._journal.known(key):
            self._journal.note(key, *decision.entries)
        self._teller.held(decision.plan, key, decision.reason, decision.values)

    def _claim(self, plan: Plan, step: PlanStep, *, is_first: bool = False) -> bool:
        """Nothing was sent by us yet. Whoever claims first sends; a claim that is there makes us look first.

        Where this is the first intent of the step that the audit knows, an earlier one must have been lost.
        """
        action = step.action
        claim = self._hands.claim(step.exec_id, action, step.approved_by)
        if claim == "there":
            if is_first:
                what = f"{action.runbook}/{action.step} {action.verb} {action.target.ref}"
                stop_for_gap(self._journal, Earlier(exec_id=step.exec_id, what=what), self._clock.now())
                self._teller.held(plan, f"{plan.id}/{action.step}/audit-gap", "repair-audit-gap", {})
            seen = self._hands.observe(step.exec_id, step.action)
            if seen.result != "refused":
                return self._outcome(plan, step, seen)
        elif claim != "ours":
            _log.warning("claim_unclear", plan=plan.id, step=step.action.step)
            return False
        for call in step.action.precondition:
            answer = self._observer.of_cluster(call, step.action.target.ref)
            if answer.answer is not Answer.HOLDS:
                drifted = Result(result="drifted", why=answer.why, evidence=answer.evidence)
                return self._outcome(plan, step, drifted, values=answer.values)
        return self._send(plan, step)

    def _send(self, plan: Plan, step: PlanStep) -> bool:
        name = step.action.step
        event = Dispatched(**self._ours(plan, name, "dispatched"))
        if self._decider.decide(plan.id, lambda _: event, refusals=False).refused:
            return False
        before = self._world.now()
        result = self._hands.act(step.exec_id, step.action)
        if result.result == "unclear":
            result = self._hands.observe(step.exec_id, step.action)
            if result.result != "applied":
                # It may still be on its way. When the lease is over it is not, and somebody looks again.
                _log.warning("request_unclear", plan=plan.id, step=name, why=result.why)
                return False
        return self._outcome(plan, step, result, before=before)

    def _ours(self, plan: Plan, step: str, what: str, again: str = "") -> _Ours:
        said = said_by_bot(self._clock.now(), f"{plan.id}/{step}/{what}/{self._name}{again}")
        return {**said, "step": step, "owner": self._name}

    def _lease(self, step: PlanStep) -> datetime:
        return self._clock.now() + LEASE * max(1, step.action.target.cap)

    def _adopt(self, plan: Plan, step: PlanStep) -> bool:
        """Take over from one who fell silent, and look before anything else."""
        name = step.action.step
        # One name may take the same step over again, when its own lease ran out.
        again = f"/{self._clock.now().isoformat()}"
        event = Adopted(**self._ours(plan, name, "adopted", again), lease_until=self._lease(step))
        decision = self._decider.decide(plan.id, lambda _: event, refusals=False)
        if decision.refused:
            return False
        ours = decision.plan.step(name)
        if ours.state is StepState.INTENT:
            return self._claim(decision.plan, ours)
        return self._outcome(decision.plan, ours, self._hands.observe(ours.exec_id, ours.action))

    def _outcome(
        self,
        plan: Plan,
        step: PlanStep,
        result: Result,
        *,
        values: Mapping[str, str] = NO_VALUES,
        before: datetime | None = None,
    ) -> bool:
        name = step.action.step
        event = Outcome(
            **self._ours(plan, name, "outcome"),
            result=result.result,
            world=before or self._world.now(),
            why=result.why,
            values=values,
            evidence=result.evidence,
        )
        decision = self._decider.decide(plan.id, lambda _: event, refusals=False)
        _log.info("step_outcome", plan=plan.id, step=name, result=result.result, why=result.why)
        self._teller.try_to_catch_up(plan.id)
        return decision.changed
