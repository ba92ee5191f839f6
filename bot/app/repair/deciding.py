"""The one way in which a plan changes: read everything, decide, commit if nothing moved, otherwise begin again."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import structlog

from bot.app.ports import Clock
from bot.app.repair.attributing import said_by_bot
from bot.app.repair.ports import Journal, Ledger, NotWritten
from bot.app.repair.standing import is_living
from bot.remedy.decide import decide
from bot.remedy.decision import Decision, Entry, Freeze, Policy
from bot.remedy.events import Event, Ticked, tag_of
from bot.remedy.plan import Plan

#: How often a decision is made anew because something changed while it was made.
TRIES = 5

_log = structlog.get_logger(__name__)


class NoSuchPlan(Exception):
    """No plan of this id is kept."""


class Contended(RuntimeError):
    """Others were faster every time; whatever was to be decided has to come again."""


#: Why an event may not have been decided: it has to come again, or there is nothing any more to decide about.
NOT_DECIDED = (NotWritten, Contended, NoSuchPlan)


class Decider:
    """Decides events over the shared journal.

    Args:
        journal: plans, freeze, budget and audit.
        policy: the operator's rules.
        clock: decision time.
    """

    def __init__(self, journal: Journal, policy: Policy, clock: Clock) -> None:
        self._journal = journal
        self._policy = policy
        self._clock = clock

    def decide(
        self,
        plan_id: str,
        event_of: Callable[[Plan], Event],
        *,
        refusals: bool = True,
        frozen: Freeze | None = None,
    ) -> Decision:
        """Apply an event to the plan as it is; the event is made anew for every try, with what it says of people.

        A refusal is committed too, since it is part of the audit; without `refusals` it is only returned: for what
        the bot asks itself every second. `frozen` is a freeze beside the journal's own.

        Raises:
            NoSuchPlan: see there.
            Contended: see there.
            NotWritten: nothing is known to be written.
        """
        for _ in range(TRIES):
            before, plan = self._read(plan_id)
            event = event_of(plan)
            decision = decide(
                plan,
                event,
                self._clock.now(),
                freeze=frozen or before.freeze,
                budget=before.budget,
                policy=self._policy,
            )
            if not decision.changed and not refusals:
                return decision
            if self._journal.commit(event.op_id, before, decision):
                return decision
        raise Contended(plan_id)

    def tick(self, plan: Plan) -> None:
        """Let time pass for a plan that is not over; what cannot be written now is looked at again later."""
        if not is_living(plan):
            return
        now = self._clock.now()
        said = said_by_bot(now, f"{plan.id}/ticked/{plan.revision}/{now.isoformat()}")
        self.try_to_decide(plan, Ticked(**said))

    def try_to_decide(self, plan: Plan, event: Event) -> Plan:
        """The plan after the bot's own event, which comes again by itself where it cannot be written now."""
        try:
            return self.decide(plan.id, lambda _: event, refusals=False).plan
        except NOT_DECIDED as why:
            _log.warning("plan_not_swept", plan=plan.id, event=tag_of(event), why=str(why))
            return plan

    def create(self, op_id: str, decision: Decision) -> Plan:
        """Write the decision's new plan, unless one of its id is there: then that one.

        Raises:
            Contended: see there.
            NotWritten: nothing is known to be written.
        """
        for _ in range(TRIES):
            before = self._journal.read(decision.plan.id)
            if before.plan is not None:
                return before.plan
            if self._journal.commit(op_id, before, decision):
                return decision.plan
        raise Contended(decision.plan.id)

    def begin(self, plan: Plan, event: Event, entry: Entry) -> Decision:
        """Write a new plan that begins with this event, `entry` before what the audit says of it.

        A refused one is returned and not written, nor its refusal, which would name a plan that never was: whoever
        asked notes it of what was pressed.

        Raises:
            Contended: see there; also where another plan of its id is there by now.
            NotWritten: nothing is known to be written.
        """
        for _ in range(TRIES):
            before = self._journal.read(plan.id)
            if before.plan is not None:
                break
            now = self._clock.now()
            made = decide(plan, event, now, freeze=before.freeze, budget=before.budget, policy=self._policy)
            made = msgspec.structs.replace(made, entries=(entry, *made.entries))
            if made.refused or self._journal.commit(event.op_id, before, made):
                return made
        raise Contended(plan.id)

    def _read(self, plan_id: str) -> tuple[Ledger, Plan]:
        before = self._journal.read(plan_id)
        if before.plan is None:
            raise NoSuchPlan(plan_id)
        return before, before.plan
