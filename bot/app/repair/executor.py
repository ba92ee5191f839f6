"""Carries approved steps out, one request each, so that a process may end anywhere and nothing happens twice.

The intent is written before anything is sent; the claim in the cluster is created once; the outcome is what the
cluster shows. Whoever comes after a dead executor goes on where nothing was sent and claimed, and only looks otherwise.
"""

from __future__ import annotations

import itertools
from datetime import datetime, timedelta

from bot.app.ports import Clock
from bot.app.repair.attributing import asked
from bot.app.repair.deciding import Decider
from bot.app.repair.observing import Observer
from bot.app.repair.one_by_one import OneByOne
from bot.app.repair.ports import Authority, Hands, Journal
from bot.app.repair.sending import Sender, ours
from bot.app.repair.telling import Teller
from bot.app.repair.verifying import Verifier
from bot.remedy.events import Adopted, Begun
from bot.remedy.plan import Plan, PlanStep, StepState
from bot.remedy.rules import by_executor
from bot.remedy.runbook import Verb

#: How long a step is ours without a word, for each object that it may change: longer than the requests for one may
#: take, so that nothing is on its way after it.
LEASE = timedelta(seconds=60)
#: How long an approved step waits for its buttons to leave where Slack does not take the edit; then it begins.
BUTTONS = timedelta(seconds=10)
_STARTED = frozenset({StepState.INTENT, StepState.DISPATCHED})


class Executor:
    """Runs what is approved.

    Args:
        journal: the plans.
        decider: changes them.
        hands: the cluster, with the executor's own rights.
        authority: who may; asked again for everyone who approved.
        sender: claims and sends what is intended.
        observer: counts what is cordoned.
        verifier: looks whether it worked.
        teller: tells plans.
        one_by_one: advances each plan, whatever another one trips over.
        clock: decision time.
        name: a name that no other process has, ever.
    """

    def __init__(
        self,
        *,
        journal: Journal,
        decider: Decider,
        hands: Hands,
        authority: Authority,
        sender: Sender,
        observer: Observer,
        verifier: Verifier,
        teller: Teller,
        one_by_one: OneByOne,
        clock: Clock,
        name: str,
    ) -> None:
        self._journal = journal
        self._decider = decider
        self._hands = hands
        self._authority = authority
        self._sender = sender
        self._observer = observer
        self._verifier = verifier
        self._teller = teller
        self._clock = clock
        self._name = name
        self._attempts = itertools.count(1)
        self._one_by_one = one_by_one

    def run_once(self) -> int:
        """Bring every step one stage on, as far as it is time.

        A journal that cannot be written stops that plan, before its request if it was not sent yet.

        Returns:
            In how many plans a step moved, plus in how many the cluster's answer settled one.

        Raises:
            NotWritten: the plans cannot be read.
        """
        moved = self._one_by_one.each("execute", self._journal.plans(), self._advance_plan)
        return moved + self._verifier.run_once()

    def _advance_plan(self, plan: Plan) -> bool:
        # No `any`: it would stop at the first step that moved.
        return sum(self._advance(plan, step) for step in plan.steps) > 0

    def _advance(self, plan: Plan, step: PlanStep) -> bool:
        if not by_executor(plan, step):
            return False
        if step.state is StepState.APPROVED:
            return self._begin(plan, step)
        if step.state not in _STARTED:
            return False
        if step.lease_until is None or step.lease_until <= self._clock.now():
            return self._adopt(plan, step)
        # An intent of our own that is not sent: it was written though we were told that it might not be, or the claim
        # was not to be had.
        is_ours = step.state is StepState.INTENT and step.owner.startswith(f"{self._name}/")
        return is_ours and self._sender.send(plan, step)

    def _begin(self, plan: Plan, step: PlanStep) -> bool:
        """Write the intent, after every condition was asked again."""
        # Buttons leave before work starts.
        self._teller.try_to_catch_up(plan.id)
        if not self._teller.shows(plan, step) and self._clock.now() - (step.changed_at or plan.created_at) < BUTTONS:
            return False
        name, owner, frozen = step.action.step, self._attempt(), self._hands.frozen()

        def begun(now: Plan) -> Begun:
            said = ours(plan, name, "begun", owner, self._clock.now())
            seen = self._observer.cordons(step.action.target.ref) if step.action.verb is Verb.CORDON else None
            people = asked(self._authority, now, name)
            shared = self._teller.shared(now)
            return Begun(**said, lease_until=self._lease(step), cordons=seen, shared=shared, **people)

        decision = self._decider.decide(plan.id, begun, frozen=frozen if frozen.frozen else None, refusals=False)
        if decision.refused:
            self._sender.held(plan, step, decision)
            return decision.changed
        return self._sender.send(decision.plan, decision.plan.step(name))

    def _adopt(self, plan: Plan, step: PlanStep) -> bool:
        """Take over from one who fell silent, and look before anything else."""
        name = step.action.step
        said = ours(plan, name, "adopted", self._attempt(), self._clock.now())
        event = Adopted(**said, lease_until=self._lease(step))
        decision = self._decider.decide(plan.id, lambda _: event, refusals=False)
        if decision.refused:
            return decision.changed
        adopted = decision.plan.step(name)
        going_on = self._sender.send if adopted.state is StepState.INTENT else self._sender.observe
        return going_on(decision.plan, adopted)

    def _attempt(self) -> str:
        """A name for one attempt at a step: the claim says by it who made it, and this process may try again."""
        return f"{self._name}/{next(self._attempts)}"

    def _lease(self, step: PlanStep) -> datetime:
        return self._clock.now() + LEASE * max(1, step.action.target.cap)
