"""Looks whether steps worked: by what the cluster then shows, again and again, until it holds or its time is over.

Nothing is changed here, so any number of processes may look at the same step; the first answer counts.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog

from bot.app.ports import Clock
from bot.app.repair.attributing import said_by_bot
from bot.app.repair.deciding import Contended, Decider, NoSuchPlan
from bot.app.repair.observing import Observer
from bot.app.repair.ports import Journal, NotWritten
from bot.app.repair.telling import Teller
from bot.remedy.events import Verified
from bot.remedy.plan import Plan, PlanState, PlanStep, StepState
from bot.remedy.probes import Answer, ProbeAnswer
from bot.remedy.rules import by_executor, by_person, can_be_seen

_log = structlog.get_logger(__name__)
#: A look costs about ten small reads.
PAUSE = timedelta(seconds=5)
_HOLDS, _FAILS, _CANNOT_TELL = "holds", "fails", "cannot-tell"


class Verifier:
    """Verifies.

    Args:
        journal: the plans.
        decider: changes them.
        observer: asks the probes.
        teller: tells them.
        clock: decision time, in which waiting ends.
        pause: how long a step is left alone between two looks, in decision time.
    """

    def __init__(
        self,
        *,
        journal: Journal,
        decider: Decider,
        observer: Observer,
        teller: Teller,
        clock: Clock,
        pause: timedelta = PAUSE,
    ) -> None:
        self._journal = journal
        self._decider = decider
        self._observer = observer
        self._teller = teller
        self._clock = clock
        self._pause = pause
        self._looked: dict[tuple[str, str], datetime] = {}

    def run_once(self) -> int:
        """Look at every step that waits for what the cluster shows; how many of them have their answer now.

        Raises:
            NotWritten: the journal is out of reach.
        """
        waiting = [(plan, step) for plan in self._journal.plans() for step in plan.steps if self._is_ours(plan, step)]
        names = {(plan.id, step.action.step) for plan, step in waiting}
        self._looked = {key: at for key, at in self._looked.items() if key in names}
        return sum(self._look(plan, step) for plan, step in waiting if self._is_time(plan, step))

    def _is_ours(self, plan: Plan, step: PlanStep) -> bool:
        return is_looked_at(plan, step) and self._observer.sees(step)

    def _is_time(self, plan: Plan, step: PlanStep) -> bool:
        key, now = (plan.id, step.action.step), self._clock.now()
        if key in self._looked and now - self._looked[key] < self._pause:
            return False
        self._looked[key] = now
        return True

    def _look(self, plan: Plan, step: PlanStep) -> bool:
        """Look at one step; whether that settled it."""
        answer = self._observer.verification(plan, step)
        result = self._result(plan, step, answer)
        if not result:
            return False
        name = step.action.step
        event = Verified(
            **said_by_bot(self._clock.now(), f"{plan.id}/{name}/verified/{result}"),
            step=name,
            result=result,
            why=answer.why,
            values=answer.values,
            evidence=answer.evidence,
        )
        try:
            decision = self._decider.decide(plan.id, lambda _: event, refusals=False)
        except (NotWritten, Contended, NoSuchPlan) as why:
            _log.error("step_not_written", plan=plan.id, step=name, why=str(why))
            return False
        if decision.changed:
            _log.info("step_verified", plan=plan.id, step=name, result=result)
            self._teller.try_to_catch_up(plan.id)
        return decision.changed

    def _result(self, plan: Plan, step: PlanStep, answer: ProbeAnswer) -> str:
        """What the look comes to; empty while it goes on. How long it has held, the probe tells from the cluster."""
        if answer.answer is Answer.HOLDS:
            return _HOLDS
        if by_person(plan, step) or step.state is StepState.ATTESTED:
            # A person's step has a window of its own, and only good news counts for it.
            return ""
        if step.expires_at is None or self._clock.now() < step.expires_at:
            return ""
        return _CANNOT_TELL if answer.answer is Answer.CANNOT_TELL else _FAILS


def is_looked_at(plan: Plan, step: PlanStep) -> bool:
    """Whether the cluster's answer is awaited for the step."""
    if not can_be_seen(step):
        return False
    if step.state is StepState.APPLIED:
        return True
    if plan.state is PlanState.DONE:
        return step.state is StepState.ATTESTED
    if plan.state is not PlanState.ACTIVE:
        return False
    is_open = step.state in (StepState.AWAITING, StepState.APPROVED) and not by_executor(plan, step)
    return is_open or step.state is StepState.ATTESTED
