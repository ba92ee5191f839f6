"""Presses on plans: who pressed, what they may, what it came to, told in the thread.

A press is read from a durable queue and may come twice: its id is the op id of everything that it changes, so the
second time changes nothing. The authority of who pressed is read anew at every try.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import structlog

from bot.app.ports import Clock
from bot.app.repair.answering import Answers, slack_user
from bot.app.repair.choosing import Chooser
from bot.app.repair.deciding import Decider
from bot.app.repair.duty import Duty
from bot.app.repair.noticing import Notices
from bot.app.repair.ports import Authority, Journal, NotBegun, NotWritten, Tells
from bot.app.repair.preparing import Refused
from bot.app.repair.roots_gone import Ends
from bot.app.repair.saying import OF_A_STEP, EventOf, Sayings, shown_digest
from bot.app.repair.undoing import Undoer
from bot.app.requests import Notice, Press, PressKind
from bot.model.diagnosis import Diagnosis
from bot.model.incident import Incident
from bot.remedy.decision import NOT_BEGUN, Decision
from bot.remedy.plan import Actor, Plan
from bot.remedy.rules import names

#: A press that waited longer is none that somebody stands by; the journal knows for longer than that what was handled.
_COUNTS = timedelta(days=1)

_log = structlog.get_logger(__name__)

#: What is built and dry-run before it is decided.
_MAKES_PLANS = frozenset({PressKind.CHOOSE, PressKind.UNDO})


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
        sayings: what presses say of plans.
        authority: who may press.
        teller: tells plans.
        answers: answers presses.
        notices: writes down what nobody pressed.
        clock: decision time, for how old a press is.
        forward: hands what makes a plan on to whoever may dry-run it, and tells whether anybody is there; None where
            that is this process.
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
        sayings: Sayings,
        authority: Authority,
        teller: Tells,
        answers: Answers,
        notices: Notices,
        clock: Clock,
        forward: Callable[[Press], bool] | None = None,
    ) -> None:
        self._cluster = cluster
        self._journal = journal
        self._decider = decider
        self._chooser = chooser
        self._undoer = undoer
        self._ends = ends
        self.duty = duty
        self._sayings = sayings
        self._authority = authority
        self._teller = teller
        self._answers = answers
        self._notices = notices
        self._clock = clock
        self._forward = forward

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
            NotInChannel, PostFailed: see `Tells.tell_all`.
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
        is_old = self._clock.now() - press.at > _COUNTS
        if self._journal.known(press.id):
            if not is_old:
                self._again(press)
        elif press.refused:
            self._answers.refuse(press, press.refused, press.values, self._plan(press))
        elif is_old:
            self._answers.refuse(press, "repair-press-too-old", {}, self._plan(press))
        elif press.cluster not in ("", self._cluster):
            self._answers.refuse(press, "repair-other-cluster", {"cluster": press.cluster, "here": self._cluster})
        elif (event_of := self._sayings.of(press)) is not None:
            self._press(press, event_of)
        elif press.kind in _MAKES_PLANS:
            self._choose(press)
        else:
            self.duty.handle(press)

    def _again(self, press: Press) -> None:
        """Say what came of a press that was decided before: whoever did may have died then, or Slack not have heard."""
        _log.info("press_came_twice", press=press.id, kind=press.kind.value)
        noted = self._journal.noted(press.id)
        self._answers.again(press, noted, self._plan(press))
        self.duty.again(press, noted)
        if press.plan:
            self._teller.catch_up(press.plan)

    def _choose(self, press: Press) -> None:
        """Build the plan here, or let whoever has hands do it: what the bot will do is dry-run first.

        What is refused in any case is refused here at once, whether anybody with hands is there or not.
        """
        plan = self._plan(press)
        needs_hands = plan is not None and not plan.dry and not self._not_ours(press, plan)
        if self._forward is not None and needs_hands and self._authority.may(press.actor).may:
            if not self._forward(press):
                self._answers.say(press, "repair-waits-for-executor", {"mention": slack_user(press.actor)})
        else:
            self._press(press, None)

    def _press(self, press: Press, event_of: EventOf | None) -> None:
        """A press on a plan: decide it, say why if it is refused, then tell whatever the plan is now."""
        plan = self._plan(press)
        wrong = self._not_ours(press, plan)
        if plan is None or wrong:
            self._answers.refuse(press, wrong, {"plan": press.plan, "step": press.step}, plan)
            return
        try:
            decision = self._decide(press, plan, event_of)
        except Refused as why:
            self._answers.refuse(press, why.reason, why.values, plan)
            return
        self._answers.decided(press, decision.reason, decision.values, decision.plan, refused=decision.refused)
        self._teller.catch_up(decision.plan.id)

    def _decide(self, press: Press, plan: Plan, event_of: EventOf | None) -> Decision:
        if press.kind is PressKind.UNDO:
            step = plan.step(press.step)
            if shown_digest(plan, press) != step.digest:
                raise Refused("repair-other-digest", names(step))
            return self._undoer.take_back(press, plan)
        return self._decider.decide(plan.id, event_of or self._chooser.choice(press, plan))

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
