"""What is shown in the terminal of plans. Slack's threads are told by the bot."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bot.app.ports import Incidents, Investigator, Poster, Presenter
from bot.app.repair.ports import Cards, Journal, Library
from bot.app.repair.preparing import offered_now
from bot.app.repair.standing import is_living
from bot.entry.cards import Cards as PlanCards
from bot.model.incident import Incident, Place
from bot.model.message import Message
from bot.remedy.plan import Plan, PlanState, PlanStep, StepState
from bot.remedy.planning import Offer
from bot.remedy.rules import is_its_turn
from bot.remedy.timing import stilled

#: Where commands are answered.
HERE = Place("terminal")


class Showing:
    """`app.repair.ports.Tells` for whoever sits here: the plan as it is now."""

    def __init__(
        self,
        *,
        journal: Journal,
        incidents: Incidents,
        library: Library,
        cards: PlanCards,
        presenter: Presenter,
        poster: Poster,
    ) -> None:
        self._journal = journal
        self._incidents = incidents
        self._library = library
        #: Set once the use cases are put together, which need this.
        self.investigator: Investigator | None = None
        #: Whether anything that was asked for here was refused.
        self.refused = False
        self._cards = cards
        self._presenter = presenter
        self._poster = poster
        self._shown: dict[str, int] = {}

    def note_refusal(self) -> None:
        """Something was refused: the command's exit status says so."""
        self.refused = True

    def catch_up(self, plan_id: str) -> None:
        """Show the choice, or the steps that wait, or how it ended; what stands here already is not shown again."""
        plan, incident, audit = self._found(plan_id)
        if plan is None or incident is None or self._shown.get(plan_id) == plan.revision:
            return
        self._shown[plan_id] = plan.revision
        if plan.state is PlanState.CHOOSING:
            self._choice(plan, incident)
            return
        for step in plan.steps:
            self._step(plan, step, incident, audit)
        if not is_living(plan):
            self._post(self._cards.finished(plan, incident, audit))

    def tell_all(self, plan_id: str) -> None:
        """The same: what is shown here is not lost."""
        self.catch_up(plan_id)

    def try_to_catch_up(self, plan_id: str) -> None:
        """Nothing: threads are told by the bot, and whoever sits here has seen the answer."""

    def step(self, plan_id: str, step: str) -> str:
        """Show one step as its card does; its title, empty if there is none of this name."""
        plan, incident, audit = self._found(plan_id)
        found = plan.find(step) if plan else None
        if plan is None or incident is None or found is None:
            return ""
        if found.state is StepState.UNKNOWN:
            self._post(self._cards.outcome(plan, step, incident, audit))
        else:
            self._post(self._cards.step(plan, step, incident))
        return self._cards.title(plan, step)

    def details(self, plan_id: str, step: str) -> None:
        """Show everything of a step, or that there is none of this name."""
        plan, incident, _ = self._found(plan_id)
        if plan is None or incident is None:
            self._not_there("repair-no-such-plan", plan=plan_id)
        elif plan.find(step) is None:
            self._not_there("repair-no-such-step", step=step)
        else:
            view = self._cards.details(plan, step, incident)
            self._post(Message(view["title"]["text"], tuple(view["blocks"])))

    def offered_anew(self, plan: Plan, incident: Incident, seen: Offer) -> None:
        """Nothing: whoever sits here is shown the choice as it is."""

    def line(self, incident: Incident, key: str, message: Callable[[Cards], Message]) -> None:
        """Say it, as often as somebody asks."""
        self._post(message(self._cards))

    def say(self, incident: Incident, key: str, reason: str, values: Mapping[str, str]) -> None:
        """The same with something of the catalogue."""
        self._post(self._presenter.say(reason, values))

    def refusal(self, plan: Plan | None, reason: str, values: Mapping[str, str]) -> None:
        """Show why nothing came of what was asked for here, where no use case in this process says so."""
        self.note_refusal()
        self._post(self._cards.refusal(plan, reason, values))

    def show(self, incident: Incident) -> None:
        """Nothing stands here that would have to change."""

    def _not_there(self, reason: str, **values: str) -> None:
        """What was to be shown is not there. Nothing was pressed, so the audit has nothing of it."""
        self.note_refusal()
        self._post(self._presenter.say(reason, values))

    def _found(self, plan_id: str) -> tuple[Plan | None, Incident | None, str]:
        """The plan as people may see it, its incident, and where the audit stood then."""
        found = self._journal.read(plan_id)
        plan = stilled(found.plan, found.freeze) if found.plan else None
        return plan, self._incidents.by_id(plan.incident) if plan else None, found.head

    def _step(self, plan: Plan, step: PlanStep, incident: Incident, audit: str) -> None:
        name = step.action.step
        if step.break_glass:
            self._post(self._cards.broken_glass(plan, name, incident))
        if is_its_turn(plan, step):
            self._post(self._cards.step(plan, name, incident))
        elif step.state is not StepState.PENDING:
            self._post(self._cards.outcome(plan, name, incident, audit))
        if step.stranger is not None:
            self._post(self._cards.gap(plan, name, incident))
        if step.gone_at is not None:
            self._post(self._cards.gone(plan, name, incident))

    def _choice(self, plan: Plan, incident: Incident) -> None:
        runbook = self._library.for_root(plan.root)
        if runbook is not None and self.investigator is not None:
            offered, diagnosis = offered_now(self.investigator, runbook, plan, incident)
            self._post(self._cards.choice(plan, offered, incident, diagnosis))

    def _post(self, message: Message) -> None:
        self._poster.post(HERE, message)
