"""The terminal as a second front of the same plans: what a person presses in Slack, they say here by command."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from bot.app.incidents import keys_of, opening
from bot.app.looking import look
from bot.app.ports import Clock, Cluster, Incidents, Investigator, Poster
from bot.app.repair.desk import RepairDesk
from bot.app.repair.ports import Cards, Journal, Library, NotBegun, OpenItem
from bot.app.repair.preparing import offered_now, root_of
from bot.app.repair.standing import is_living
from bot.app.requests import Press, PressKind
from bot.model.diagnosis import Diagnosis
from bot.model.incident import Incident, Place
from bot.model.message import Message
from bot.model.refs import Ref
from bot.remedy.audit import details
from bot.remedy.decision import NOT_BEGUN, Freeze
from bot.remedy.plan import Actor, Plan, PlanState, StepState
from bot.remedy.planning import Offer
from bot.remedy.rules import waits_for_people
from bot.remedy.timing import stilled


class Noting:
    """`app.repair.ports.Cards` that remember whether one of them was a refusal."""

    def __init__(self, cards: Cards) -> None:
        self._cards = cards
        self.refused = False

    def unoffered(self, offered: Offer, incident: Incident) -> Message:
        """That no plan can be offered."""
        return self._cards.unoffered(offered, incident)

    def choice(self, plan: Plan, offered: Offer, incident: Incident, diagnosis: Diagnosis) -> Message:
        """The question who wins."""
        return self._cards.choice(plan, offered, incident, diagnosis)

    def step(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """One step to approve."""
        return self._cards.step(plan, step_id, incident)

    def outcome(self, plan: Plan, step_id: str, incident: Incident, audit: str = "") -> Message:
        """What became of a step."""
        return self._cards.outcome(plan, step_id, incident, audit)

    def broken_glass(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """That somebody approved alone."""
        return self._cards.broken_glass(plan, step_id, incident)

    def refusal(self, plan: Plan | None, reason: str, values: Mapping[str, str]) -> Message:
        """Why a press did nothing, which is noted."""
        self.refused = True
        return self._cards.refusal(plan, reason, values)

    def freeze(self, plan: Plan, freeze: Freeze) -> Message:
        """That everything was frozen, or goes on."""
        return self._cards.freeze(plan, freeze)

    def finished(self, plan: Plan, incident: Incident, audit: str = "") -> Message:
        """How the plan ended."""
        return self._cards.finished(plan, incident, audit)

    def reminder(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """A temporary change that is still there after its time."""
        return self._cards.reminder(plan, step_id, incident)

    def closing(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """That the window of a step is nearly over."""
        return self._cards.closing(plan, step_id, incident)

    def gone(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """A temporary change that is gone with its object."""
        return self._cards.gone(plan, step_id, incident)

    def gap(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """Redis lost entries."""
        return self._cards.gap(plan, step_id, incident)

    def open_list(self, items: Sequence[OpenItem], freeze: Freeze) -> Message:
        """The hand-over."""
        return self._cards.open_list(items, freeze)


#: Where commands are answered.
HERE = Place("terminal")


class Showing:
    """`app.repair.ports.Tells` for whoever sits here: the plan as it is now. Slack's thread is told by the bot."""

    def __init__(
        self,
        *,
        journal: Journal,
        incidents: Incidents,
        library: Library,
        cards: Cards,
        poster: Poster,
    ) -> None:
        self._journal = journal
        self._incidents = incidents
        self._library = library
        #: Set once the use cases are put together, which need this.
        self.investigator: Investigator | None = None
        self.cards = Noting(cards)
        self._poster = poster
        self._shown: dict[str, int] = {}

    def catch_up(self, plan_id: str) -> None:
        """Show the choice, or the steps that wait, or how it ended; what stands here already is not shown again."""
        found = self._journal.read(plan_id)
        plan = stilled(found.plan, found.freeze) if found.plan else None
        incident = self._incidents.by_id(plan.incident) if plan else None
        if plan is None or incident is None or self._shown.get(plan_id) == plan.revision:
            return
        self._shown[plan_id] = plan.revision
        if plan.state is PlanState.CHOOSING:
            self._choice(plan, incident)
            return
        for step in plan.steps:
            if step.state is StepState.AWAITING or waits_for_people(plan, step):
                self._poster.post(HERE, self.cards.step(plan, step.action.step, incident))
            elif step.state is not StepState.PENDING:
                self._poster.post(HERE, self.cards.outcome(plan, step.action.step, incident, found.head))
        if not is_living(plan):
            self._poster.post(HERE, self.cards.finished(plan, incident, found.head))

    def try_to_catch_up(self, plan_id: str) -> None:
        """Nothing: threads are told by the bot, and whoever sits here has seen the answer."""

    def step(self, plan: Plan, step: str) -> None:
        """Show one step."""
        incident = self._incidents.by_id(plan.incident)
        if incident is not None:
            now = stilled(plan, self._journal.read(plan.id).freeze)
            self._poster.post(HERE, self.cards.step(now, step, incident))

    def line(self, incident: Incident, key: str, message: Callable[[Cards], Message]) -> None:
        """Say it, as often as somebody asks."""
        self._poster.post(HERE, message(self.cards))

    def refusal(self, plan: Plan, reason: str, values: Mapping[str, str]) -> None:
        """Show why another process refused what was asked for here."""
        self._poster.post(HERE, self.cards.refusal(plan, reason, values))

    def show(self, incident: Incident) -> None:
        """Nothing stands here that would have to change."""

    def _choice(self, plan: Plan, incident: Incident) -> None:
        runbook = self._library.for_root(plan.root)
        if runbook is not None and self.investigator is not None:
            offered, diagnosis = offered_now(self.investigator, runbook, plan, incident)
            self._poster.post(HERE, self.cards.choice(plan, offered, incident, diagnosis))


class Front:
    """What commands do.

    Args:
        actor: who sits here, as the API server says.
        cluster: the cluster, in which references are looked up.
        desk: takes presses.
        journal: the plans.
        incidents: the incidents of all fronts.
        investigator: answers about the cluster.
        showing: shows plans.
        keep: keeps a file of a host's text, as a paste by this person.
        clock: decision time.
    """

    def __init__(
        self,
        *,
        actor: Actor,
        cluster: Cluster,
        desk: RepairDesk,
        journal: Journal,
        incidents: Incidents,
        investigator: Investigator,
        showing: Showing,
        keep: Callable[[Path, tuple[Ref, ...]], None],
        clock: Clock,
    ) -> None:
        self.actor = actor
        self.cluster = cluster
        self._desk = desk
        self._journal = journal
        self._incidents = incidents
        self._investigator = investigator
        self._showing = showing
        self.keep = keep
        self._clock = clock

    @property
    def refused(self) -> bool:
        """Whether anything was refused."""
        return self._showing.cards.refused

    def show_step(self, plan: Plan, step: str) -> None:
        """Show one step as it is: what a press binds to."""
        self._showing.step(plan, step)

    def offer(self, scope: tuple[Ref, ...]) -> Plan | None:
        """The plan of what is wrong with these objects: the one that is there, or a new one; None without any.

        Raises:
            NotBegun: there is no journal that it could stand in.
        """
        if self._journal.read("").freeze.why == NOT_BEGUN:
            raise NotBegun
        seen, diagnosis = look(self._investigator, scope)
        roots = {one.finding.key for one in diagnosis.roots}
        running = next((one for one in self._journal.plans() if is_living(one) and root_of(one) in roots), None)
        if running is not None:
            return running
        keys = frozenset(keys_of(diagnosis))
        there = next((one for one in self._incidents.all_open() if keys & frozenset(one.keys)), None)
        if there is None:
            request = f"terminal:{uuid.uuid4().hex}"
            # Without a channel, so that nobody looks for its thread.
            place = Place("", request)
            fresh = opening(
                cluster=self.cluster.name, request_id=request, at=self._clock.now(), place=place, scope=seen
            )
            there = self._incidents.open(fresh)
        self._desk.offer(there, diagnosis, self.actor)
        plans = [one for one in self._journal.plans(incident=there.id) if is_living(one)]
        return plans[-1] if plans else None

    def show(self, plan_id: str) -> Plan | None:
        """Show the plan as it is."""
        self._showing.catch_up(plan_id)
        return self.plan(plan_id)

    def plan(self, plan_id: str) -> Plan | None:
        """The plan as it is; None if there is none."""
        return self._journal.read(plan_id).plan

    def undoing(self, plan: Plan, step: str) -> Plan | None:
        """The plan that takes this step's change back, as long as it is not over; None if there is none."""
        every = self._journal.plans(incident=plan.incident)
        return next((one for one in every if one.undoes == f"{plan.id}/{step}" and is_living(one)), None)

    def show_refusal(self, press: Press) -> bool:
        """Show why whoever may dry-run it refused a press; False as long as nothing of it is known."""
        plan = self.plan(press.plan)
        if plan is None or not self._journal.known(press.id):
            return False
        ours = {"type": "refused", "actor": press.actor.id, "plan": plan.id}
        entries = [one for one in self._journal.entries(incident=plan.incident) if ours.items() <= one.items()]
        if entries:
            values = details(entries[-1])
            self._showing.refusal(plan, values.get("reason", ""), values)
        return bool(entries)

    def press(
        self,
        kind: PressKind,
        plan: Plan | None = None,
        step: str = "",
        *,
        option: str = "",
        reason: str = "",
        text: str = "",
    ) -> Press:
        """Do what a button would do; a step is pressed as it is shown here now."""
        press = Press(
            id=f"terminal:{uuid.uuid4().hex}",
            kind=kind,
            actor=self.actor,
            place=HERE,
            at=self._clock.now(),
            plan=plan.id if plan else "",
            step=step,
            digest=plan.step(step).digest if plan and step else "",
            option=option,
            reason=reason,
            text=text,
        )
        self._desk.handle(press)
        return press
