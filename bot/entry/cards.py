"""`app.repair.ports.Cards` for one cluster and one language: plans in words, then as Slack messages and forms."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from bot.app.repair.ports import Library, OpenItem
from bot.knowledge.words import Words
from bot.model.cards import ButtonKind
from bot.model.diagnosis import Diagnosis
from bot.model.incident import Incident
from bot.model.message import Message
from bot.narrate.plan import PlanPhrases
from bot.narrate.plan_choice import changed_choice_card, choice_card, unoffered_card
from bot.narrate.plan_end import (
    broken_glass_card,
    finished_card,
    not_yet_card,
    outcome_card,
    refusal_card,
    silence_words,
)
from bot.narrate.plan_notice import (
    abandoned_card,
    closing_card,
    freeze_card,
    gap_card,
    gone_card,
    noticed_card,
    reminder_card,
)
from bot.narrate.plan_open import OpenLine, open_card
from bot.narrate.plan_step import details_card, form_parts, step_card
from bot.remedy.decision import Freeze, Policy
from bot.remedy.plan import Plan
from bot.remedy.planning import Offer
from bot.render.slack.modals import details_view, form_view
from bot.render.slack.plan import card_message


class Cards:
    """Narrates and renders plans.

    Args:
        words: the catalogue of the language.
        cluster: the cluster's name; a hash of it stands in every button.
        policy: quorums, solo, whether mutations are on.
        library: the texts of the runbooks.
        approvers: who is called: `slack:TEAM/USER`, or `slack:group/GROUP`.
        best_effort: whether the store may lose its last moment.
        silences: whether there is an Alertmanager that takes silences.
    """

    def __init__(
        self,
        words: Words,
        cluster: str,
        policy: Policy,
        library: Library,
        approvers: tuple[str, ...] = (),
        *,
        best_effort: bool = False,
        silences: bool = False,
    ) -> None:
        self._words = words
        self._say = PlanPhrases(
            words,
            cluster,
            policy,
            lambda runbook, section: library.text(runbook, section, words.lang),
            approvers,
            best_effort=best_effort,
            silences=silences,
        )

    def choice(self, plan: Plan, offered: Offer, incident: Incident, diagnosis: Diagnosis) -> Message:
        """The question who wins."""
        return card_message(choice_card(self._say, plan, offered, incident, diagnosis), self._words)

    def choice_changed(self, plan: Plan, offered: Offer, incident: Incident, before: Collection[str]) -> Message:
        """That other options can be chosen now."""
        return card_message(changed_choice_card(self._say, plan, offered, incident, before), self._words)

    def unoffered(self, offered: Offer, incident: Incident) -> Message:
        """That no plan can be offered."""
        return card_message(unoffered_card(self._say, offered, incident), self._words)

    def step(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """One step, with buttons while it waits."""
        return card_message(step_card(self._say, plan, step_id, incident), self._words)

    def outcome(self, plan: Plan, step_id: str, incident: Incident, audit: str = "") -> Message:
        """What became of a step."""
        return card_message(outcome_card(self._say, plan, step_id, incident, audit), self._words)

    def broken_glass(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """That somebody approved alone, and whom that passed over."""
        return card_message(broken_glass_card(self._say, plan, step_id), self._words)

    def refusal(self, plan: Plan | None, reason: str, values: Mapping[str, str]) -> Message:
        """Why a press did nothing; the value `mention` is the Slack id of who pressed."""
        return card_message(refusal_card(self._say, plan, reason, values), self._words)

    def not_yet(self, plan: Plan, reason: str, values: Mapping[str, str]) -> Message:
        """That it takes more than what was said; the value `mention` is the Slack id of who pressed."""
        return card_message(not_yet_card(self._say, plan, reason, values), self._words)

    def noticed(self, entry: str, reason: str, values: Mapping[str, str], call: tuple[str, ...]) -> Message:
        """That a user group of approvers changed, or who reads a channel."""
        return card_message(noticed_card(self._say, entry, reason, values, call), self._words)

    def freeze(self, plan: Plan, freeze: Freeze) -> Message:
        """That everything was frozen, or goes on."""
        return card_message(freeze_card(self._say, plan, freeze), self._words)

    def reminder(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """A temporary change that is still there after its time."""
        return card_message(reminder_card(self._say, plan, step_id, incident), self._words)

    def closing(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """That the window of a step is nearly over."""
        return card_message(closing_card(self._say, plan, step_id, incident), self._words)

    def abandoned(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """That nobody goes on with a step that was begun."""
        return card_message(abandoned_card(self._say, plan, step_id, incident), self._words)

    def gone(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """A temporary change that is gone with its object."""
        return card_message(gone_card(self._say, plan, step_id), self._words)

    def gap(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """The claim of a step showed that Redis lost entries."""
        return card_message(gap_card(self._say, plan, step_id, incident), self._words)

    def finished(self, plan: Plan, incident: Incident, audit: str = "") -> Message:
        """How a plan ended."""
        return card_message(finished_card(self._say, plan, incident, audit), self._words)

    def silence(self, incident: Incident) -> str:
        """Why the incident's alerts are silent."""
        return silence_words(self._say, incident)

    def open_list(self, items: Sequence[OpenItem], freeze: Freeze) -> Message:
        """The hand-over."""
        lines = [
            OpenLine(incident=one.incident, plan=one.plan, step=one.step, until=one.until, temporary=one.temporary)
            for one in items
        ]
        return card_message(open_card(self._say, lines, freeze), self._words)

    def title(self, plan: Plan, step_id: str) -> str:
        """What the runbook calls a step, and its object."""
        return self._say.name(plan, plan.step(step_id))

    def details(self, plan: Plan, step_id: str, incident: Incident) -> dict[str, Any]:
        """Everything of a step, as a view to read."""
        return details_view(details_card(self._say, plan, step_id, incident), self._words)

    def form(self, kind: ButtonKind, plan: Plan, step_id: str, metadata: str) -> dict[str, Any]:
        """The form that a press of this kind opens; `metadata` comes back with it."""
        step = plan.step(step_id)
        asked = form_parts(self._say, plan, step_id, report=kind is ButtonKind.REPORT)
        return form_view(kind, self._say.step_title(plan, step), asked, self._words, metadata)
