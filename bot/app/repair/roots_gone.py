"""What becomes of plans whose reason is gone: the alert is over, or what they repair is no longer seen.

A plan of which something was done goes on and keeps its incident open; one of which nothing was done ends. What cannot
be told is not gone, and neither is what only people's pastes ever showed: the cluster cannot show it again.
"""

from __future__ import annotations

from bot.app.incidents import may_hold, signs_seen
from bot.app.looking import look
from bot.app.ports import Clock, Investigator
from bot.app.repair.attributing import said_by_bot
from bot.app.repair.deciding import Decider
from bot.app.repair.ports import Journal, Tells
from bot.app.repair.standing import is_living, is_untouched
from bot.app.threads import Threads
from bot.model.diagnosis import Diagnosis
from bot.model.incident import Incident
from bot.remedy.events import Superseded
from bot.remedy.plan import Plan
from bot.remedy.rules import is_over


class Roots:
    """Looks whether what a plan repairs is still there.

    Args:
        threads: the incidents.
        investigator: the findings.
    """

    def __init__(self, threads: Threads, investigator: Investigator) -> None:
        self._threads = threads
        self._investigator = investigator

    def is_gone(self, plan: Plan) -> bool:
        """Whether a fresh look shows nothing any more of what the bot itself saw when it offered the plan."""
        if not plan.signs:
            return False
        incident = self._threads.incidents.by_id(plan.incident)
        _, diagnosis = look(self._investigator, (*(incident.scope if incident else ()), plan.subject))
        return _shows_nothing(diagnosis, plan)


def _shows_nothing(diagnosis: Diagnosis, plan: Plan) -> bool:
    return not may_hold(diagnosis, plan.signs) and signs_seen(diagnosis).isdisjoint(plan.signs)


class Ends:
    """Ends what has lost its reason, and says what has not.

    Args:
        roots: whether what a plan repairs is still there.
        journal: the plans as they are.
        decider: ends them.
        teller: tells it.
        clock: decision time.
    """

    def __init__(self, *, roots: Roots, journal: Journal, decider: Decider, teller: Tells, clock: Clock) -> None:
        self._roots = roots
        self._journal = journal
        self._decider = decider
        self._teller = teller
        self._clock = clock

    def goes_on(self, incident: Incident) -> bool:
        """End the incident's plans of which nothing was done and whose root is gone; whether anything goes on.

        Raises:
            NotWritten: the journal is out of reach.
            NotInChannel, PostFailed: see `Tells.tell_all`.
        """
        for plan in self._journal.plans(incident=incident.id):
            if is_living(plan) and is_untouched(plan) and self._roots.is_gone(plan):
                self._end(incident, plan)
        plans = self._journal.plans(incident=incident.id)
        if not all(map(is_over, plans)):
            return True
        for plan in plans:
            # Whoever asks may close the incident, and then nobody looks at what is untold of it.
            self._teller.tell_all(plan.id)
        return False

    def _end(self, incident: Incident, plan: Plan) -> None:
        event = Superseded(**said_by_bot(self._clock.now(), f"{plan.id}/root-over"))
        decision = self._decider.decide(plan.id, lambda _: event, refusals=False)
        if decision.refused:
            return
        values = {"plan": plan.id, **decision.values}
        self._teller.say(incident, f"{plan.id}/root-over", "desk-plan-ends", values)
        self._teller.catch_up(plan.id)
