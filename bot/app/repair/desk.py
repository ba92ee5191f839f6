"""Presses on plans: who pressed, what they may, what it came to, told in the thread.

A press is read from a durable queue and may come twice: its id is the op id of everything that it changes, so the
second time changes nothing. The authority of who pressed is read anew at every try.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta

import structlog

from bot.app.ports import Clock
from bot.app.repair.answering import Answers
from bot.app.repair.attributing import SaidByPerson, asked, of_step, said_by_person
from bot.app.repair.choosing import Chooser
from bot.app.repair.deciding import Decider
from bot.app.repair.duty import Duty
from bot.app.repair.noticing import Notices
from bot.app.repair.ports import Authority, Journal, NotBegun, NotWritten, Tells
from bot.app.repair.preparing import Refused
from bot.app.repair.reporting import Reports
from bot.app.repair.roots_gone import Ends
from bot.app.repair.undoing import Undoer
from bot.app.requests import Notice, Press, PressKind
from bot.model.diagnosis import Diagnosis
from bot.model.incident import Incident
from bot.remedy.decision import NOT_BEGUN, Decision
from bot.remedy.events import Aborted, Approved, BrokeGlass, Denied, Event, Reported, Resolution, Resolved
from bot.remedy.plan import Actor, Identity, Plan
from bot.remedy.rules import names

#: A button shows at least so many digits of its step's digest.
_SHOWN_DIGITS = 32
#: A press that waited longer is none that somebody stands by; the journal knows for longer than that what was handled.
_COUNTS = timedelta(days=1)

_log = structlog.get_logger(__name__)

#: What is built and dry-run before it is decided.
_MAKES_PLANS = frozenset({PressKind.CHOOSE, PressKind.UNDO})
#: What is pressed on one step.
OF_A_STEP = frozenset(
    {
        PressKind.APPROVE,
        PressKind.DENY,
        PressKind.BREAK_GLASS,
        PressKind.REPORT,
        PressKind.RESOLVE,
        PressKind.UNDO,
    }
)
_EventOf = Callable[[Plan], Event]


class RepairDesk:
    """The use case of plans.

    Args:
        cluster: the cluster's name.
        journal: plans, freeze and audit.
        decider: changes plans.
        chooser: makes plans.
        undoer: makes those that take temporary changes back.
        ends: ends those that have lost their reason.
        duty: what concerns no single step: owners, freeze, the hand-over.
        reports: judges what people paste.
        authority: who may press.
        teller: tells plans.
        answers: answers presses.
        notices: writes down what nobody pressed.
        clock: decision time, for how old a press is.
        forward: hands what makes a plan on to whoever may dry-run it; None where that is this process.
    """

    def __init__(
        self,
        *,
        cluster: str,
        journal: Journal,
        decider: Decider,
        chooser: Chooser,
        undoer: Undoer,
        ends: Ends,
        duty: Duty,
        reports: Reports,
        authority: Authority,
        teller: Tells,
        answers: Answers,
        notices: Notices,
        clock: Clock,
        forward: Callable[[Press], None] | None = None,
    ) -> None:
        self._cluster = cluster
        self._journal = journal
        self._decider = decider
        self._chooser = chooser
        self._undoer = undoer
        self._ends = ends
        self.duty = duty
        self._reports = reports
        self._authority = authority
        self._teller = teller
        self._answers = answers
        self._notices = notices
        self._clock = clock
        self._forward = forward
        self._votes: Mapping[PressKind, Callable[[Press], _EventOf]] = {
            PressKind.APPROVE: self._approve,
            PressKind.DENY: self._deny,
            PressKind.BREAK_GLASS: self._break_glass,
            PressKind.REPORT: self._report,
            PressKind.RESOLVE: self._resolve,
            PressKind.ABORT: self._abort,
        }

    def offer(self, incident: Incident, diagnosis: Diagnosis, requester: Actor | None = None) -> None:
        """Offer the plan that the diagnosis' root leads to, unless one is there; without a runbook nothing happens.

        A journal that is out of reach takes nothing from the diagnosis: the next look at the incident offers again.
        """
        try:
            for plan in self._chooser.offer(incident, diagnosis, requester):
                self._teller.catch_up(plan)
        except NotWritten as why:
            _log.error("plan_not_offered", incident=incident.id, why=str(why))

    def notice(self, notice: Notice) -> None:
        """See `Notices.take`."""
        self._notices.take(notice)

    def goes_on(self, incident: Incident) -> bool:
        """Whether a plan keeps the incident open whose alert is over (`roots_gone.Ends`).

        Raises:
            NotWritten: the journal is out of reach.
            NotInChannel, PostFailed: see `Tells.catch_up`.
        """
        return self._ends.goes_on(incident)

    def handle(self, press: Press) -> None:
        """Do what was pressed, once.

        Raises:
            NotWritten: nothing is known to be written; the press must come again.
            Contended: others were faster every time; the press must come again.
        """
        try:
            self._handle(press)
        except NotBegun:
            # It cannot be noted anywhere, and whoever pressed must know the way on.
            self._answers.tell(press, NOT_BEGUN, {})

    def _handle(self, press: Press) -> None:
        if self._journal.known(press.id):
            _log.info("press_came_twice", press=press.id, kind=press.kind.value)
            if press.plan:
                self._teller.catch_up(press.plan)
        elif press.refused:
            self._answers.refuse(press, press.refused, press.values, self._plan(press))
        elif self._clock.now() - press.at > _COUNTS:
            self._answers.refuse(press, "repair-press-too-old", {}, self._plan(press))
        elif press.cluster not in ("", self._cluster):
            self._answers.refuse(press, "repair-other-cluster", {"cluster": press.cluster, "here": self._cluster})
        elif press.kind in self._votes:
            self._press(press, self._votes[press.kind])
        elif press.kind in _MAKES_PLANS:
            self._choose(press)
        else:
            self.duty.handle(press)

    def _choose(self, press: Press) -> None:
        """Build the plan here, or let whoever has hands do it: what the bot will do is dry-run first.

        What is refused in any case is refused here at once, whether anybody with hands is there or not.
        """
        plan = self._plan(press)
        needs_hands = plan is not None and not plan.dry and not self._not_ours(press, plan)
        if self._forward is not None and needs_hands and self._authority.may(press.actor).may:
            self._forward(press)
        else:
            self._press(press, None)

    def _press(self, press: Press, event_for: Callable[[Press], _EventOf] | None) -> None:
        """A press on a plan: decide it, say why if it is refused, then tell whatever the plan is now."""
        plan = self._plan(press)
        wrong = self._not_ours(press, plan)
        if plan is None or wrong:
            self._answers.refuse(press, wrong, {"plan": press.plan, "step": press.step}, plan)
            return
        try:
            decision = self._decide(press, plan, event_for)
        except Refused as why:
            self._answers.refuse(press, why.reason, why.values, plan)
            return
        if decision.refused:
            self._answers.tell(press, decision.reason, decision.values, decision.plan)
        self._teller.catch_up(decision.plan.id)

    def _decide(self, press: Press, plan: Plan, event_for: Callable[[Press], _EventOf] | None) -> Decision:
        if press.kind is PressKind.UNDO:
            step = plan.step(press.step)
            if _digest(plan, press) != step.digest:
                raise Refused("repair-other-digest", names(step))
            return self._undoer.take_back(press, plan)
        if event_for is None:
            return self._decider.decide(plan.id, self._chooser.choice(press, plan))
        return self._decider.decide(plan.id, event_for(press))

    def _plan(self, press: Press) -> Plan | None:
        return self._journal.read(press.plan).plan if press.plan else None

    def _not_ours(self, press: Press, plan: Plan | None) -> str:
        """Why the press belongs to no plan of ours as it was told, if it does not."""
        if plan is None:
            return "repair-no-such-plan"
        if press.kind in OF_A_STEP and plan.find(press.step) is None:
            return "repair-no-such-step"
        if press.message and not self._answers.is_of(plan, press.message):
            return "repair-not-our-card"
        return ""

    def _said(self, press: Press) -> SaidByPerson:
        """Made anew for every try, as the event is: the authority of who pressed is what it is by then."""
        return said_by_person(press, self._authority.may(press.actor))

    def _known(self, press: Press, plan: Plan) -> Mapping[str, Identity]:
        return of_step(self._authority, plan, press.step)

    def _approve(self, press: Press) -> _EventOf:
        return lambda plan: Approved(
            **self._said(press), known=self._known(press, plan), step=press.step, digest=_digest(plan, press)
        )

    def _deny(self, press: Press) -> _EventOf:
        return lambda plan: Denied(
            **self._said(press), step=press.step, digest=_digest(plan, press), reason=press.reason
        )

    def _break_glass(self, press: Press) -> _EventOf:
        return lambda plan: BrokeGlass(
            **self._said(press),
            known=self._known(press, plan),
            step=press.step,
            digest=_digest(plan, press),
            reason=press.reason,
            skipped=self._authority.others(press.actor),
        )

    def _report(self, press: Press) -> _EventOf:
        def event(plan: Plan) -> Event:
            judged = self._reports.judge(plan.step(press.step), press.text, press.actor, press.at)
            return Reported(
                **self._said(press),
                **asked(self._authority, plan, press.step),
                step=press.step,
                result=judged.result,
                why=judged.why,
                values=judged.values,
                evidence=judged.evidence,
            )

        return event

    def _resolve(self, press: Press) -> _EventOf:
        return lambda plan: Resolved(
            **self._said(press),
            known=self._known(press, plan),
            step=press.step,
            result=_resolution(press),
            reason=press.reason,
        )

    def _abort(self, press: Press) -> _EventOf:
        return lambda _: Aborted(**self._said(press), reason=press.reason)


def _resolution(press: Press) -> Resolution:
    """What the press says became of the step.

    Raises:
        Refused: nothing that can become of one.
    """
    try:
        return Resolution(press.option)
    except ValueError:
        raise Refused("repair-no-such-result", {"step": press.step, "result": press.option}) from None


def _digest(plan: Plan, press: Press) -> str:
    """The digest of the step that the button showed: a button has room for a part of it."""
    whole = plan.step(press.step).digest
    is_shown = len(press.digest) >= _SHOWN_DIGITS and whole.startswith(press.digest)
    return whole if is_shown else press.digest
