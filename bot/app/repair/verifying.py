"""Looks whether steps worked: by what the cluster then shows, again and again, until it holds or its time is over.

It holds when two looks in a row say so, some time apart: one may catch a state that passes. Nothing is changed here, so
any number of processes may look at the same step; the first answer counts.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog

from bot.app.ports import Clock
from bot.app.repair.attributing import said_by_bot
from bot.app.repair.deciding import Decider
from bot.app.repair.observing import Observer
from bot.app.repair.one_by_one import OneByOne
from bot.app.repair.ports import Journal
from bot.app.repair.telling import Teller
from bot.remedy.events import LookResult, Verified
from bot.remedy.plan import Plan, PlanStep, StepState
from bot.remedy.probes import Answer, ProbeAnswer
from bot.remedy.rules import by_person, is_looked_at

_log = structlog.get_logger(__name__)
#: A look costs about ten small reads.
PAUSE = timedelta(seconds=5)


class Verifier:
    """Verifies.

    Args:
        journal: the plans.
        decider: changes them.
        observer: asks the probes.
        teller: tells them.
        one_by_one: looks at each plan, whatever another one trips over.
        clock: decision time, in which waiting ends.
        world: the cluster's time, in which it has to hold.
        pause: how long a step is left alone between two looks, in decision time; and how far apart the two looks are,
            in the cluster's time, that settle that it worked.
    """

    def __init__(
        self,
        *,
        journal: Journal,
        decider: Decider,
        observer: Observer,
        teller: Teller,
        one_by_one: OneByOne,
        clock: Clock,
        world: Clock,
        pause: timedelta = PAUSE,
    ) -> None:
        self._journal = journal
        self._decider = decider
        self._observer = observer
        self._teller = teller
        self._clock = clock
        self._world = world
        self._pause = pause
        self._one_by_one = one_by_one
        self._looked: dict[tuple[str, str], datetime] = {}
        self._held_since: dict[tuple[str, str], datetime] = {}

    def run_once(self) -> int:
        """Look at every step that waits for what the cluster shows; in how many plans one has its answer now.

        Raises:
            NotWritten: the journal is out of reach.
        """
        plans = self._journal.plans()
        names = {(plan.id, step.action.step) for plan in plans for step in plan.steps if is_looked_at(plan, step)}
        self._looked = {key: at for key, at in self._looked.items() if key in names}
        self._held_since = {key: at for key, at in self._held_since.items() if key in names}
        return self._one_by_one.each("verify", plans, self._look_at)

    def _look_at(self, plan: Plan) -> bool:
        waiting = [one for one in plan.steps if self._is_ours(plan, one) and self._is_time(plan, one)]
        # No `any`: it would stop at the first step that is settled.
        return sum(self._look(plan, one) for one in waiting) > 0

    def _is_ours(self, plan: Plan, step: PlanStep) -> bool:
        return is_looked_at(plan, step) and self._observer.sees(step)

    def _is_time(self, plan: Plan, step: PlanStep) -> bool:
        key, now = (plan.id, step.action.step), self._clock.now()
        if key in self._held_since:
            is_early = self._world.now() - self._held_since[key] < self._pause
        else:
            is_early = key in self._looked and now - self._looked[key] < self._pause
        if is_early:
            return False
        self._looked[key] = now
        return True

    def _look(self, plan: Plan, step: PlanStep) -> bool:
        """Look at one step; whether that settled it."""
        answer = self._observer.verification(plan, step)
        result = self._result(plan, step, answer)
        if result is None:
            return False
        name = step.action.step
        event = Verified(
            **said_by_bot(self._clock.now(), f"{plan.id}/{name}/verified/{result.value}"),
            step=name,
            result=result,
            why=answer.why,
            values=answer.values,
            evidence=answer.evidence,
        )
        decision = self._decider.decide(plan.id, lambda _: event, refusals=False)
        if decision.changed:
            _log.info("step_verified", plan=plan.id, step=name, result=result.value)
            self._teller.try_to_catch_up(plan.id)
        return decision.changed

    def _result(self, plan: Plan, step: PlanStep, answer: ProbeAnswer) -> LookResult | None:
        """What the look comes to; None while it goes on, or has held for a single look.

        How long it has held, the probe tells from the cluster.
        """
        key, now = (plan.id, step.action.step), self._world.now()
        if answer.answer is Answer.HOLDS:
            return LookResult.HOLDS if now - self._held_since.setdefault(key, now) >= self._pause else None
        self._held_since.pop(key, None)
        if by_person(plan, step) or step.state is StepState.ATTESTED:
            # A person's step has a window of its own, and only good news counts for it.
            return None
        if step.expires_at is None or self._clock.now() < step.expires_at:
            return None
        return LookResult.CANNOT_TELL if answer.answer is Answer.CANNOT_TELL else LookResult.FAILS
