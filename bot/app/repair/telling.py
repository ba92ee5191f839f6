"""Tells in the thread where a plan stands, from the plan alone: what is missing is posted, what has changed is edited.

So nothing is lost when a process ends between a decision and its words: whoever looks at the plan next tells it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta

import structlog

from bot.app.looking import look
from bot.app.ports import InHand, Investigator, NotInChannel, PostFailed
from bot.app.repair.choice_card import ChoiceCard
from bot.app.repair.ports import Cards, Journal
from bot.app.repair.posting import Piece, Postings
from bot.app.repair.standing import is_living, standing
from bot.app.threads import Threads, is_shown
from bot.model.incident import Incident
from bot.model.message import Message
from bot.remedy.decision import Freeze
from bot.remedy.plan import Plan, PlanStep, StepState
from bot.remedy.planning import Offer
from bot.remedy.rules import waits_for_people
from bot.remedy.table import FINISHED
from bot.remedy.timing import stilled

#: A step in one of these gets a card of its own.
_CARDED = frozenset({StepState.AWAITING, StepState.APPROVED, StepState.INTENT, StepState.DISPATCHED, StepState.APPLIED})
#: A step in one of these is told in a new line, since edits notify nobody.
_TOLD = frozenset(StepState) - _CARDED - {StepState.PENDING}
#: Told only of steps that people saw before: a plan that ends takes all its later steps with it.
_ENDED = frozenset({StepState.ABORTED, StepState.SUPERSEDED})
#: Under which keys an incident was told of a freeze, by when it began, and of its end.
_FROZEN, _THAWED = "frozen/", "thawed/"
#: How long nobody looks for the root message of a channel where nothing may be said: a look reads the cluster.
_SILENCE = timedelta(minutes=1)
#: Rounds for edits that were overtaken.
_ROUNDS = 3

_log = structlog.get_logger(__name__)


class Teller:
    """Tells plans.

    Args:
        threads: the incidents' threads.
        postings: posts once.
        journal: the plans as they are.
        choice: the card of a plan's choice.
        cards_of: the cards in a channel's language.
        investigator: for the root message.
    """

    def __init__(
        self,
        *,
        threads: Threads,
        postings: Postings,
        journal: Journal,
        choice: ChoiceCard,
        cards_of: Callable[[str], Cards],
        investigator: Investigator,
    ) -> None:
        self._threads = threads
        self._postings = postings
        self._journal = journal
        self._choice = choice
        self._cards_of = cards_of
        self._investigator = investigator
        self._silent_until: dict[str, datetime] = {}

    def catch_up(self, plan_id: str) -> None:
        """Tell what is untold of the plan, and bring its incident up to date.

        Raises:
            NotWritten: the journal is out of reach.
            NotInChannel: the bot is not in the channel.
            PostFailed: something was not delivered; it may be tried again.
        """
        stale: frozenset[str] = frozenset()
        for _ in range(_ROUNDS):
            found = self._journal.read(plan_id)
            plan = stilled(found.plan, found.freeze) if found.plan else None
            incident = self._threads.incidents.by_id(plan.incident) if plan else None
            if plan is None or incident is None:
                return
            if not incident.place.is_thread:
                # One that began in a terminal has no thread, but it is repaired like any other.
                self.stand(incident.id)
                return
            incident = self._tell_freeze(plan, incident, found.freeze)
            stale = self._tell(plan, incident, stale, found.head)
            self.stand(incident.id)
            if not stale:
                return

    def tell_all(self, plan_id: str) -> None:
        """The same for who does not come by again: nothing is untold afterwards.

        Raises:
            NotWritten, NotInChannel, PostFailed: see `catch_up`.
            InHand: see there.
        """
        self.catch_up(plan_id)
        plan = self._journal.read(plan_id).plan
        incident = self._threads.incidents.by_id(plan.incident) if plan else None
        if plan is None or incident is None or not incident.place.is_thread:
            return
        for piece in self._pieces(plan, incident, ""):
            there = incident.told.get(f"{plan.id}/{piece.key}")
            if piece.due and (there is None or not there.ts):
                raise InHand(f"{plan.id}/{piece.key}")

    def try_to_catch_up(self, plan_id: str) -> None:
        """The same as `catch_up` for who must go on whatever Slack says."""
        try:
            self.catch_up(plan_id)
        except (NotInChannel, PostFailed) as why:
            _log.warning("plan_not_told", plan=plan_id, why=str(why))

    def shows(self, plan: Plan, step: PlanStep) -> bool:
        """Whether the card of the step, where there is one, shows it as it is: its buttons have left with its turn."""
        incident = self._threads.incidents.by_id(plan.incident)
        if incident is None or not incident.place.is_thread:
            return True
        there = incident.told.get(f"{plan.id}/{card_key(step.action.step)}")
        return there is None or not there.ts or there.shown == _shown(step)

    def shared(self, plan: Plan) -> str:
        """The channel of the plan's thread while people of other organisations read it, otherwise empty."""
        incident = self._threads.incidents.by_id(plan.incident)
        if incident is None or not incident.place.is_thread:
            return ""
        return incident.place.channel if self._threads.poster.is_shared(incident.place.channel) else ""

    def stand(self, incident_id: str) -> None:
        """Give the incident the state that its plans give it, and show it in the root message.

        Raises:
            NotInChannel: the bot is not in the channel.
        """
        incident = self._threads.incidents.by_id(incident_id)
        if incident is not None:
            plans = self._journal.plans(incident=incident_id)
            self.show(self._threads.update(incident, lambda one: standing(one, plans)))

    def show(self, incident: Incident) -> None:
        """Bring the root message up to date with a fresh look, unless it shows the incident as it is.

        An edit that failed is made up for by whoever looks at the incident next; nothing else waits for it.

        Raises:
            NotInChannel: the bot is not in the channel.
        """
        now, channel = self._threads.clock.now(), incident.place.channel
        if is_shown(incident) or now < self._silent_until.get(channel, now):
            return
        _, diagnosis = look(self._investigator, incident.scope)
        try:
            self._threads.edit_root(incident, diagnosis)
        except NotInChannel:
            self._silent_until[channel] = now + _SILENCE
            raise
        except PostFailed as why:
            _log.warning("root_not_edited_yet", incident=incident.id, why=str(why))

    def line(self, incident: Incident, key: str, message: Callable[[Cards], Message]) -> Incident:
        """Post one line of the cards' into the thread, once for this key; one that began in a terminal has none.

        Raises:
            NotInChannel: the bot is not in the channel.
            PostFailed: it is not known to stand there; it may be tried again.
        """
        if not incident.place.is_thread:
            return incident
        return self._postings.make_sure(incident, key, lambda: message(self._cards_of(incident.place.channel)))

    def remark(self, incident: Incident, key: str, message: Callable[[Cards], Message]) -> Incident:
        """The same for who comes by again: where somebody else is at it, it is theirs.

        Raises:
            NotInChannel, PostFailed: see `line`.
        """
        if not incident.place.is_thread:
            return incident
        return self._postings.post(incident, key, lambda: message(self._cards_of(incident.place.channel)))

    def say(self, incident: Incident, key: str, reason: str, values: Mapping[str, str]) -> Incident:
        """Post something of the catalogue, as `Postings.say` does; for one that began in a terminal nothing."""
        return self._postings.say(incident, key, reason, values) if incident.place.is_thread else incident

    def offered_anew(self, plan: Plan, incident: Incident, seen: Offer) -> None:
        """Where other options can be chosen than the card shows, say so in a line and edit the card.

        Raises:
            NotInChannel: the bot is not in the channel.
            PostFailed: it was not delivered; it may be tried again.
        """
        if incident.place.is_thread:
            self._choice.offered_anew(self._cards_of(incident.place.channel), plan, incident, seen)

    def held(self, plan: Plan, key: str, reason: str, values: Mapping[str, str]) -> None:
        """Say once why something that was approved does not run; whatever Slack says."""
        incident = self._threads.incidents.by_id(plan.incident)
        if incident is None:
            return
        try:
            self.remark(incident, key, lambda cards: cards.refusal(plan, reason, values))
        except (NotInChannel, PostFailed) as why:
            _log.warning("plan_not_told", plan=plan.id, why=str(why))

    def _tell_freeze(self, plan: Plan, incident: Incident, freeze: Freeze) -> Incident:
        """One line where a freeze begins or is renewed, one where the last of them is over."""
        if freeze.frozen:
            due = is_living(plan) and freeze.since is not None
            key = f"{_FROZEN}{freeze.since.isoformat()}" if freeze.since else ""
        else:
            last = max((one for one in incident.told if one.startswith(_FROZEN)), default="")
            due = bool(last)
            key = f"{_THAWED}{last.removeprefix(_FROZEN)}"
        return self.remark(incident, key, lambda cards: cards.freeze(plan, freeze)) if due else incident

    def _tell(self, plan: Plan, incident: Incident, stale: frozenset[str], audit: str) -> frozenset[str]:
        """Tell all pieces; those that somebody edited with a later revision meanwhile are returned."""
        overtaken: set[str] = set()
        for piece in self._pieces(plan, incident, audit):
            key = f"{plan.id}/{piece.key}"
            there = incident.told.get(key)
            if there is None or not there.ts:
                if piece.due:
                    incident = self._postings.post(
                        incident, key, _bound(piece, incident), shown=piece.shown, revision=plan.revision
                    )
            elif piece.shown and (there.shown != piece.shown or key in stale):
                incident, late = self._postings.edit(
                    incident, key, _bound(piece, incident), shown=piece.shown, revision=plan.revision
                )
                if late:
                    overtaken.add(key)
        return frozenset(overtaken)

    def _pieces(self, plan: Plan, incident: Incident, audit: str) -> Iterator[Piece]:
        cards = self._cards_of(incident.place.channel)
        yield self._choice.piece(cards, plan, incident)
        for step in plan.steps:
            yield from self._step_pieces(cards, plan, step, incident, audit)
        if plan.state in FINISHED:
            yield Piece(key=f"finished/{plan.state}", message=lambda now: cards.finished(plan, now, audit))

    def _step_pieces(self, cards: Cards, plan: Plan, step: PlanStep, incident: Incident, audit: str) -> Iterator[Piece]:
        name = step.action.step
        yield Piece(
            key=card_key(name),
            message=lambda now: cards.step(plan, name, now),
            shown=_shown(step),
            due=step.state in _CARDED,
        )
        if step.break_glass:
            yield Piece(key=f"{name}/broke-glass", message=lambda now: cards.broken_glass(plan, name, now))
        if step.state is StepState.APPROVED and waits_for_people(plan, step):
            yield Piece(key=f"{name}/{step.state}", message=lambda now: cards.outcome(plan, name, now))
        seen = f"{plan.id}/{card_key(name)}" in incident.told
        if step.state in _TOLD and (seen or step.state not in _ENDED):
            yield Piece(key=f"{name}/{step.state}", message=lambda now: cards.outcome(plan, name, now, audit))
        if step.stranger is not None:
            yield Piece(key=f"{name}/gap", message=lambda now: cards.gap(plan, name, now))
        if step.gone_at is not None:
            yield Piece(key=f"{name}/gone", message=lambda now: cards.gone(plan, name, now))


def card_key(step: str) -> str:
    """Under which key a step's card is known, inside its plan."""
    return f"step/{step}"


def _bound(piece: Piece, incident: Incident) -> Callable[[], Message]:
    return lambda: piece.message(incident)


def _shown(step: PlanStep) -> str:
    """What of a step its card shows, as far as it changes."""
    until = step.expires_at.isoformat() if step.expires_at else ""
    held = f" held by {step.values['who']}: {step.values['why']}" if step.held else ""
    return f"{step.state} {len(step.votes)} {len(step.told_by)} {len(step.resolutions)} {until}{held}"
