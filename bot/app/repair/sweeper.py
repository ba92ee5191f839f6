"""Looks at what only time changes: windows that close, mitigations that should be taken back, incidents that are over.

Everything here may be done by any replica at any time, and by several at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec
import structlog

from bot.app.incidents import cannot_tell, still_seen
from bot.app.looking import look
from bot.app.ports import Clock, InHand, Investigator, NotInChannel, PostFailed, SharedOutside, Undeliverable
from bot.app.repair.attributing import said_by_bot
from bot.app.repair.deciding import NOT_DECIDED, Decider
from bot.app.repair.one_by_one import OneByOne
from bot.app.repair.ports import Journal
from bot.app.repair.roots_gone import Ends
from bot.app.repair.standing import closed, is_living, is_untouched, taken_back, temporary
from bot.app.repair.telling import Teller
from bot.app.repair.undoing import Undoer
from bot.app.repair.unresolved import unresolved
from bot.app.threads import Threads, is_shown
from bot.model.diagnosis import Diagnosis
from bot.model.incident import Incident, State
from bot.remedy.decision import Policy
from bot.remedy.events import TakenBack
from bot.remedy.plan import Plan, PlanStep
from bot.remedy.rules import is_over
from bot.remedy.timing import abandoned, closing

#: How often people are reminded of the same mitigation.
NAG = timedelta(days=1)
#: How often it is looked whether what was left broken, or was repaired, is still seen.
LOOK = timedelta(minutes=5)

#: The last word of an incident, as it is known among what was told.
_REPAIRED = "repaired"

_log = structlog.get_logger(__name__)


class Sweeper:
    """Sweeps.

    Args:
        journal: the plans.
        decider: lets time pass for them.
        teller: tells what came of it, and what nobody told yet.
        threads: the incidents' threads.
        investigator: whether a fault is still seen.
        undoer: whether what is to be taken back is still there.
        ends: ends plans that lost their reason.
        policy: how long people have.
        one_by_one: does each plan and incident, whatever another one trips over.
        clock: decision time.
    """

    def __init__(
        self,
        *,
        journal: Journal,
        decider: Decider,
        teller: Teller,
        threads: Threads,
        investigator: Investigator,
        undoer: Undoer,
        ends: Ends,
        policy: Policy,
        one_by_one: OneByOne,
        clock: Clock,
    ) -> None:
        self._journal = journal
        self._decider = decider
        self._teller = teller
        self._threads = threads
        self._investigator = investigator
        self._undoer = undoer
        self._ends = ends
        self._policy = policy
        self._clock = clock
        self._one_by_one = one_by_one
        self._looked: dict[str, datetime] = {}

    def run_once(self) -> None:
        """Sweep once.

        Raises:
            NotWritten: the plans cannot be read.
        """
        plans = self._journal.plans()
        self._one_by_one.each("tick", plans, self._decider.tick)
        self._one_by_one.each("sweep", unresolved(self._threads.incidents, plans), self._sweep)

    def _sweep(self, incident: Incident) -> None:
        """Tell what is untold of the incident's plans, remind, and close it when it is over."""
        found = {one.id: one for one in self._journal.plans(incident=incident.id)}
        for plan, step, by in taken_back(tuple(found.values())):
            said = said_by_bot(self._clock.now(), f"{by.undoes}/taken-back/{by.id}")
            event = TakenBack(**said, step=step, by=by.id)
            found[plan.id] = self._decider.try_to_decide(plan, event)
        plans = tuple(map(self._without_gone, found.values()))
        self._one_by_one.each("tell", plans, lambda one: self._teller.try_to_catch_up(one.id))
        try:
            if self._may_have_lost_its_reason(incident, plans):
                self._ends.goes_on(incident)
                plans = self._journal.plans(incident=incident.id)
            self._nag(self._warn(incident, plans), plans)
            now = self._threads.incidents.by_id(incident.id)
            if now is not None and _may_be_over(now):
                self._close(now, plans)
            if not plans and (left := self._threads.incidents.by_id(incident.id)) is not None:
                self._teller.show(left)
        except (NotInChannel, PostFailed) as why:
            _log.warning("incident_not_told", incident=incident.id, why=str(why))

    def _may_have_lost_its_reason(self, incident: Incident, plans: Sequence[Plan]) -> bool:
        """Whether a plan of which nothing was done lived on because its root was seen, or not to be read, when the
        alert ended; now and then.
        """
        if incident.firing or not incident.sources:
            return False
        return any(is_living(one) and is_untouched(one) for one in plans) and self._is_time(f"{incident.id}/ends")

    def _is_time(self, key: str) -> bool:
        """Whether to look again at what is known by this key; then it is looked at now."""
        now = self._clock.now()
        if now - self._looked.get(key, now - LOOK) < LOOK:
            return False
        self._looked[key] = now
        return True

    def _without_gone(self, plan: Plan) -> Plan:
        """The plan with the changes settled whose time is over and that are gone with their object."""
        now = self._clock.now()
        for step in temporary(plan):
            is_late = step.temporary_until is not None and step.temporary_until <= now
            if not is_late or not self._is_time(f"{plan.id}/{step.action.step}"):
                continue
            try:
                gone = self._undoer.gone(plan, step)
            except NOT_DECIDED as why:
                _log.warning("plan_not_swept", plan=plan.id, event="gone", why=str(why))
                continue
            plan = gone.plan if gone else plan
        return plan

    def _warn(self, incident: Incident, plans: Sequence[Plan]) -> Incident:
        """Say, once for each window and each attempt, what nobody approved or reported yet, or goes on with."""
        now = self._clock.now()
        for plan in plans:
            for step in abandoned(plan, now):
                incident = self._say_abandoned(incident, plan, step)
            for step in closing(plan, self._policy, now):
                incident = self._say_closing(incident, plan, step)
        return incident

    def _say_abandoned(self, incident: Incident, plan: Plan, step: PlanStep) -> Incident:
        name = step.action.step
        key = f"{plan.id}/abandoned/{name}/{step.owner}/{step.state}"
        return self._teller.remark(incident, key, lambda cards: cards.abandoned(plan, name, incident))

    def _say_closing(self, incident: Incident, plan: Plan, step: PlanStep) -> Incident:
        name, until = step.action.step, step.expires_at
        key = f"{plan.id}/closing/{name}/{until.isoformat() if until else ''}"
        return self._teller.remark(incident, key, lambda cards: cards.closing(plan, name, incident))

    def _nag(self, incident: Incident, plans: Sequence[Plan]) -> None:
        now = self._clock.now()
        for plan in plans:
            for step in temporary(plan):
                until = step.temporary_until
                if until is None or now < until:
                    continue
                incident = self._remind(incident, plan, step.action.step, (now - until) // NAG)

    def _remind(self, incident: Incident, plan: Plan, step: str, number: int) -> Incident:
        key = f"{plan.id}/nag/{step}/{number}"
        return self._teller.remark(incident, key, lambda cards: cards.reminder(plan, step, incident))

    def _close(self, incident: Incident, plans: Sequence[Plan]) -> None:
        """Resolve what neither fires nor can be there any more, of which nothing is left and nobody is at work."""
        about = _with_signs(incident, plans)
        is_told = bool(about.keys) or incident.state is State.MITIGATED
        if not is_told or not all(map(is_over, plans)) or not self._is_time(f"{incident.id}/close"):
            return
        now = self._clock.now()
        _, diagnosis = look(self._investigator, incident.scope)
        seen = {str(one.code) for one in diagnosis.findings}
        if still_seen(about, diagnosis) or cannot_tell(about, diagnosis) or set(incident.left) & seen:
            return
        incident = self._told_over(incident, plans, diagnosis, now)
        after = self._threads.update(incident, lambda one: closed(one, now) if _may_be_over(one) else one)
        if not is_shown(after):
            # An alert fired again meanwhile.
            self._threads.edit_root(after, diagnosis)

    def _told_over(self, incident: Incident, plans: Sequence[Plan], diagnosis: Diagnosis, now: datetime) -> Incident:
        """Say that it is over, after everything else, and show it: nobody looks at it any more afterwards.

        Raises:
            PostFailed: something is not known to stand there; it is tried again.
            SharedOutside: nothing may be said there for now.
        """
        try:
            for plan in plans:
                self._teller.tell_all(plan.id)
            there = self._threads.incidents.by_id(incident.id) or incident
            there = self._teller.say(there, _REPAIRED, "repair-incident-over", {})
            if there.place.is_thread and not there.told[_REPAIRED].ts:
                raise InHand(_REPAIRED)
            if there.root:
                self._threads.show(closed(there, now), diagnosis)
            return there
        except SharedOutside:
            # Only for now: it is over once it can be told.
            raise
        except (NotInChannel, Undeliverable) as why:
            # Where nobody can be told it is over all the same: it would stand among what is open for ever.
            _log.warning("incident_not_told", incident=incident.id, why=str(why))
            return incident


def _may_be_over(incident: Incident) -> bool:
    """Whether no alert fires, and it was repaired; or what kept it open when its alert ended may be over by now."""
    is_left = incident.state is State.OPEN and (incident.planned or bool(incident.sources))
    return not incident.firing and (is_left or incident.state is State.MITIGATED)


def _with_signs(incident: Incident, plans: Sequence[Plan]) -> Incident:
    """The incident, also about what the bot saw when it offered plans: one that was asked for has no alert's keys."""
    signs = (sign for plan in plans for sign in plan.signs)
    return msgspec.structs.replace(incident, keys=tuple(dict.fromkeys((*incident.keys, *signs))))
