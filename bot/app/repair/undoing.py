"""Takes temporary changes back: a plan of its own with one step, made when somebody asks for it.

What is done comes from the plan that made the change; whether it may be done now, and how it would look, is read anew.
"""

from __future__ import annotations

from collections.abc import Callable

import structlog

from bot.app.ports import Clock
from bot.app.repair.attributing import said_by_bot, said_by_person
from bot.app.repair.deciding import TRIES, Contended, Decider
from bot.app.repair.observing import Observer
from bot.app.repair.ports import Authority, Draft, Journal, Prepared
from bot.app.repair.preparing import Preparer, Refused, nonce_of, offer_entry
from bot.app.repair.standing import is_living
from bot.app.requests import Press
from bot.remedy import planning
from bot.remedy.decision import Decision
from bot.remedy.events import Chosen, Gone, Person
from bot.remedy.plan import Action, Plan, PlanStep
from bot.remedy.rules import names
from bot.remedy.runbook import MUTATIONS

_log = structlog.get_logger(__name__)


class Undoer:
    """Makes plans that take a temporary change back.

    Args:
        journal: the plans as they are.
        decider: writes them.
        authority: who may ask for it.
        preparer: dry-runs it.
        observer: looks whether there is anything left to take back.
        clock: decision time.
        can_run: whether anybody can carry out what is approved; otherwise the plan is commands to copy.
    """

    def __init__(
        self,
        *,
        journal: Journal,
        decider: Decider,
        authority: Authority,
        preparer: Preparer,
        observer: Observer,
        clock: Clock,
        can_run: Callable[[], bool],
    ) -> None:
        self._journal = journal
        self._decider = decider
        self._authority = authority
        self._preparer = preparer
        self._observer = observer
        self._clock = clock
        self._can_run = can_run

    def take_back(self, press: Press, plan: Plan) -> Decision:
        """Begin the plan that takes this step of the plan back; its own step then waits for approval.

        A change that is gone with its object is written down as gone instead.

        Raises:
            Refused: there is nothing to take back, it is asked for already, the dry run failed, or the decision itself
                refuses it; none of it is written down yet.
            NotWritten: the journal is out of reach.
            Contended: others were faster every time.
        """
        person, step = self._authority.may(press.actor), plan.step(press.step)
        if not person.may:
            raise Refused("repair-may-not", {"who": press.actor.id, "why": person.why})
        if step.temporary_until is None or step.undo is None:
            raise Refused("repair-nothing-temporary", names(step))
        for _ in range(TRIES):
            # Asked anew each time: where two press at once, the other's plan may be there by now.
            new = self._new_plan(press, plan, step)
            try:
                decision = self.gone(plan, step) or self._begin(press, person, new, step.undo)
            except Contended as why:
                _log.info("undo_contended", plan=str(why))
                continue
            if decision.refused:
                raise Refused(decision.reason, decision.values)
            return decision
        raise Contended(plan.id)

    def _new_plan(self, press: Press, plan: Plan, step: PlanStep) -> Plan:
        """The plan that takes the step back, before its step is in it.

        Raises:
            Refused: another one is on its way.
        """
        every, undoes = self._journal.plans(incident=plan.incident), f"{plan.id}/{step.action.step}"
        living = [one.id for one in every if one.undoes == undoes and is_living(one)]
        if living:
            raise Refused("repair-undo-asked", {**names(step), "plan": living[0]})
        return Plan(
            id=f"{plan.incident}-{len(every) + 1}",
            incident=plan.incident,
            cluster=plan.cluster,
            runbook=plan.runbook,
            root=plan.root,
            subject=plan.subject,
            requester=press.actor,
            created_at=self._clock.now(),
            undoes=undoes,
            dry=not self._can_run(),
        )

    def _begin(self, press: Press, person: Person, new: Plan, undo: Action) -> Decision:
        bound = self._prepared(undo) if undo.verb in MUTATIONS and not new.dry else None
        made = planning.undo_step(undo, bound, nonce_of(press))
        event = Chosen(**said_by_person(press, person), option=made.action.step, steps=(made,))
        return self._decider.begin(new, event, offer_entry(new, {"undoes": new.undoes}))

    def gone(self, plan: Plan, step: PlanStep) -> Decision | None:
        """Look whether the temporary change of this step is gone with its object, and write it down if it is.

        Raises:
            NotWritten, Contended, NoSuchPlan: see `Decider.decide`.
        """
        target, name = step.action.target, step.action.step
        evidence = () if target.select else self._observer.gone(target.ref)
        if not evidence:
            return None
        said = said_by_bot(self._clock.now(), f"{plan.id}/{name}/gone")
        return self._decider.decide(plan.id, lambda _: Gone(**said, step=name, evidence=evidence), refusals=False)

    def _prepared(self, action: Action) -> Prepared:
        target = action.target
        one = Draft(verb=action.verb, target=target.ref, select=target.select, params=action.params, cap=target.cap)
        return self._preparer.prepare({action.step: one})[action.step]
