"""The card of a plan's choice: what can be chosen, and the line that says that something else can be chosen now."""

from __future__ import annotations

from bot.app.ports import Investigator
from bot.app.repair.ports import Cards, Library
from bot.app.repair.posting import Piece, Postings
from bot.app.repair.preparing import offered_now
from bot.model.incident import Incident
from bot.model.message import Message
from bot.remedy.plan import Plan, PlanState
from bot.remedy.planning import Offer
from bot.remedy.table import FINISHED

#: Under which key the card is known, inside its plan.
_KEY = "choice"


class ChoiceCard:
    """Tells what can be chosen.

    Args:
        postings: posts once.
        library: the runbooks.
        investigator: what can be chosen is told by a fresh look.
    """

    def __init__(self, postings: Postings, library: Library, investigator: Investigator) -> None:
        self._postings = postings
        self._library = library
        self._investigator = investigator

    def piece(self, cards: Cards, plan: Plan, incident: Incident) -> Piece:
        """The card; it is posted only as long as nobody has chosen."""
        there = incident.told.get(f"{plan.id}/{_KEY}")
        if plan.state is not PlanState.CHOOSING:
            shown = plan.state.value if plan.state in FINISHED - {PlanState.DONE} else "chosen"
        elif there is not None and there.ts:
            # What else can be chosen now is looked at where somebody learnt something new, not at every sweep.
            shown = there.shown
        elif (runbook := self._library.for_root(plan.root)) is not None:
            shown = _choosable(offered_now(self._investigator, runbook, plan, incident)[0])
        else:
            shown = ""
        return Piece(
            key=_KEY,
            message=lambda now: self._card(cards, plan, now),
            shown=shown,
            due=plan.state is PlanState.CHOOSING,
        )

    def offered_anew(self, cards: Cards, plan: Plan, incident: Incident, seen: Offer) -> None:
        """Where other options can be chosen than the card shows, say so in a line and edit the card.

        `seen` is what could be chosen by the answer that was just given. Where it differs, another look at all of the
        incident decides, as it does when somebody chooses.

        Raises:
            NotInChannel: the bot is not in the channel.
            PostFailed: it was not delivered; it may be tried again.
        """
        key, runbook = f"{plan.id}/{_KEY}", self._library.for_root(plan.root)
        there = incident.told.get(key)
        if runbook is None or there is None or not there.ts or _choosable(seen) == there.shown:
            return
        offered, diagnosis = offered_now(self._investigator, runbook, plan, incident)
        shown = _choosable(offered)
        if shown == there.shown:
            return
        before = there.shown.split()
        incident = self._postings.make_sure(
            incident, _change(incident, key, shown), lambda: cards.choice_changed(plan, offered, incident, before)
        )
        self._postings.edit(
            incident, key, lambda: cards.choice(plan, offered, incident, diagnosis), shown=shown, revision=plan.revision
        )

    def _card(self, cards: Cards, plan: Plan, incident: Incident) -> Message:
        runbook = self._library.for_root(plan.root)
        if runbook is None:
            return cards.refusal(plan, "repair-no-runbook", {"root": plan.root})
        offered, diagnosis = offered_now(self._investigator, runbook, plan, incident)
        return cards.choice(plan, offered, incident, diagnosis)


def _change(incident: Incident, key: str, shown: str) -> str:
    """Under which key the line of a change is known: each has its own, also one that was there before.

    The last one is this very change where the card has not been edited since.
    """
    lines = [one for one in incident.told if one.startswith(f"{key}/")]
    is_last = bool(lines) and lines[-1].endswith(f"/{shown}")
    return f"{key}/{len(lines) - is_last}/{shown}"


def _choosable(offered: Offer) -> str:
    """The options that can be chosen."""
    return " ".join(one.id for one in offered.options if not one.refused)
