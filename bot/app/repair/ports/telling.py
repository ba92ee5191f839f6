"""The ports of how plans are told: runbooks, cards, and who brings them to people."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from bot.model.diagnosis import Diagnosis
from bot.model.incident import Incident
from bot.model.message import Message
from bot.remedy.decision import Freeze
from bot.remedy.plan import Plan, PlanStep
from bot.remedy.planning import Offer
from bot.remedy.runbook import Runbook


class Library(Protocol):
    """The runbooks."""

    def for_root(self, code: str) -> Runbook | None:
        """The runbook that repairs this root."""
        ...

    def text(self, runbook: str, section: str, lang: str) -> str:
        """A section of its Markdown: of a step, the choice, an option."""
        ...


class OpenItem(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the hand-over: an open incident, its owner, and what of its plans needs somebody.

    `plan` is the one that waits, else one that runs, else the last; `step` what it waits for (`choice`, a step, or
    empty) until `until`; `temporary` are the changes that wait to be taken back, the most urgent first, each with its
    plan.
    """

    incident: Incident
    plan: Plan | None = None
    step: str = ""
    until: datetime | None = None
    temporary: tuple[tuple[Plan, PlanStep], ...] = ()


class Cards(Protocol):
    """Plans in words and blocks, in one language."""

    def unoffered(self, offered: Offer, incident: Incident) -> Message:
        """That no plan can be offered: why each option cannot be taken, and the way by hand."""
        ...

    def choice(self, plan: Plan, offered: Offer, incident: Incident, diagnosis: Diagnosis) -> Message:
        """The question who wins: what each option leaves broken, a button for each that can be chosen now."""
        ...

    def choice_changed(self, plan: Plan, offered: Offer, incident: Incident, before: Collection[str]) -> Message:
        """That other options can be chosen now than `before`, with the ids of those."""
        ...

    def step(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """One step to approve: object, diff, risk, why this order, what breaks otherwise, quorum, until when."""
        ...

    def outcome(self, plan: Plan, step_id: str, incident: Incident, audit: str = "") -> Message:
        """What became of a step; `audit` is where the audit stands (`Ledger.head`), kept in the thread as an anchor."""
        ...

    def broken_glass(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """That somebody approved alone, why, and whom that passed over: they are called."""
        ...

    def refusal(self, plan: Plan | None, reason: str, values: Mapping[str, str]) -> Message:
        """Why a press did nothing."""
        ...

    def not_yet(self, plan: Plan, reason: str, values: Mapping[str, str]) -> Message:
        """That a word is written down, and that it takes more than it."""
        ...

    def noticed(self, entry: str, reason: str, values: Mapping[str, str], call: tuple[str, ...]) -> Message:
        """What was noted of approvers' user groups or of who reads: calls who may approve, and whom `call` names."""
        ...

    def freeze(self, plan: Plan, freeze: Freeze) -> Message:
        """That everything was frozen, by whom and why, or that it goes on: one line for whoever is at work."""
        ...

    def reminder(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """A temporary change that is still there after its time, with the button that takes it back."""
        ...

    def closing(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """That the window of a step that waits for people is nearly over, and what happens then."""
        ...

    def abandoned(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """That nobody goes on with a step that was begun: how far it may be, where to look, what to start."""
        ...

    def gone(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """A temporary change that is gone with its object."""
        ...

    def gap(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """The claim of a step showed that Redis lost entries; what is frozen until people lift it."""
        ...

    def finished(self, plan: Plan, incident: Incident, audit: str = "") -> Message:
        """How the plan ended: what is left broken by choice, what was attested only, predicted against seen."""
        ...

    def silence(self, incident: Incident) -> str:
        """What stands in Alertmanager as the comment of a silence."""
        ...

    def open_list(self, items: Sequence[OpenItem], freeze: Freeze) -> Message:
        """The hand-over: what is open, whose it is, what it waits for, which mitigation expires when."""
        ...


class Tells(Protocol):
    """Tells people where plans stand; `telling.Teller` does it in the incident's thread."""

    def catch_up(self, plan_id: str) -> None:
        """Tell what is untold of the plan.

        Raises:
            NotWritten: the journal is out of reach.
            NotInChannel: the bot is not in the channel.
            PostFailed: something was not delivered; it may be tried again.
        """
        ...

    def tell_all(self, plan_id: str) -> None:
        """The same for who does not come by again: nothing is untold afterwards.

        Raises:
            NotWritten, NotInChannel, PostFailed: see `catch_up`; `PostFailed` also where somebody else is at it.
        """
        ...

    def offered_anew(self, plan: Plan, incident: Incident, seen: Offer) -> None:
        """Bring the card of a choice up to date where other options can be chosen now, and say so.

        `seen` is what can be chosen by the answer that was just given.

        Raises:
            NotInChannel: the bot is not in the channel.
            PostFailed: it was not delivered; it may be tried again.
        """
        ...

    def line(self, incident: Incident, key: str, message: Callable[[Cards], Message]) -> object:
        """Post one line of the cards', once for this key.

        Raises:
            NotInChannel: the bot is not in the channel.
            PostFailed: it is not known to stand there; it may be tried again.
        """
        ...

    def say(self, incident: Incident, key: str, reason: str, values: Mapping[str, str]) -> object:
        """Post something of the catalogue, once for this key, unless somebody else is at it.

        Raises:
            NotInChannel: the bot is not in the channel.
            PostFailed: it is not known to stand there; it may be tried again at once.
        """
        ...

    def try_to_catch_up(self, plan_id: str) -> None:
        """Catch up, whatever Slack says, for who pressed elsewhere; nothing where threads are not this front's."""
        ...

    def show(self, incident: Incident) -> None:
        """Bring what is shown of the incident up to date."""
        ...
