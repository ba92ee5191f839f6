"""What a press gets back: every one gets a visible answer, and a refusal stands in the thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bot.app.ports import NotInChannel
from bot.app.repair.attributing import SLACK, pressed
from bot.app.repair.ports import Cards, Journal
from bot.app.requests import Press
from bot.app.threads import Threads, as_is
from bot.model.incident import Incident
from bot.model.message import Document, Message
from bot.remedy import audit
from bot.remedy.decision import Entry
from bot.remedy.plan import Actor, Plan
from bot.remedy.rules import WORD_KEPT

#: Why a word that counts is not enough; the card of a step shows its approvals itself.
_MORE_NEEDED = frozenset(
    {
        WORD_KEPT,
        "repair-told-second-needed",
        "repair-resolve-second-needed",
        "repair-resolve-differs",
        "repair-terminal-needed",
    }
)


def nobody_told() -> None:
    """Nobody else has to know of a refusal."""


class Answers:
    """Answers presses.

    Args:
        threads: the incidents' threads.
        journal: where refusals are noted that no decision about a plan notes.
        cards_of: the cards in a channel's language.
        in_threads: whether answers about an incident stand in its thread, or all where the press came from.
        on_refusal: told of every refusal, beside the person.
    """

    def __init__(
        self,
        threads: Threads,
        journal: Journal,
        cards_of: Callable[[str], Cards],
        *,
        in_threads: bool = True,
        on_refusal: Callable[[], None] = nobody_told,
    ) -> None:
        self._threads = threads
        self._journal = journal
        self.cards_of = cards_of
        self._in_threads = in_threads
        self._on_refusal = on_refusal

    def refuse(self, press: Press, reason: str, values: Mapping[str, str], plan: Plan | None = None) -> None:
        """Note in the audit that the press was refused, and say why (`tell`).

        Raises:
            NotWritten: it could not be noted.
        """
        # What the words need stays as it is: they are said again from here where the press comes again.
        details = {"kind": press.kind.value, **values, "reason": reason, **pressed(press)}
        incident = plan.incident if plan else press.incident
        entry = Entry(
            type="refused",
            at=press.at,
            actor=press.actor,
            plan=press.plan,
            incident=incident,
            step=press.step,
            digest=press.digest,
            details=details,
        )
        self._journal.note(press.id, entry)
        self.tell(press, reason, values, plan)

    def tell(self, press: Press, reason: str, values: Mapping[str, str], plan: Plan | None = None) -> None:
        """Say why the press did nothing, in the thread of the plan if it has one.

        A form that brings back something else names no place; to who sent it the front has said why, in the form.
        """
        told = {**values, "mention": slack_user(press.actor)}
        self._on_refusal()
        self._in_thread(press, "refused", plan, lambda cards: cards.refusal(plan, reason, told))

    def decided(
        self, press: Press, reason: str, values: Mapping[str, str], plan: Plan | None, *, refused: bool
    ) -> None:
        """Say why the press did nothing, or that what was said is written down and not enough, in the plan's thread."""
        if refused:
            self.tell(press, reason, values, plan)
        elif plan is not None and reason in _MORE_NEEDED:
            told = {**values, "mention": slack_user(press.actor)}
            self._in_thread(press, "not-yet", plan, lambda cards: cards.not_yet(plan, reason, told))

    def again(self, press: Press, noted: Sequence[Mapping[str, str]], plan: Plan | None) -> None:
        """Say the same of a press that comes a second time, from what the audit has of it."""
        for one in noted:
            if one["actor"] == press.actor.id:
                told = audit.details(one)
                self.decided(press, told.get("reason", ""), told, plan, refused=one["type"] == "refused")

    def _in_thread(self, press: Press, key: str, plan: Plan | None, message: Callable[[Cards], Message]) -> None:
        incident = self._threads.incidents.by_id(plan.incident) if plan else None
        if plan is None and not (press.place.channel or press.response_url):
            return
        if incident is None or not self._has_thread(incident):
            self.reply(press, message(self.cards_of(press.place.channel)))
            return
        self._threads.once(incident, f"{press.id}/{key}", as_is(message(self.cards_of(incident.place.channel))))

    def say(self, press: Press, reason: str, values: Mapping[str, str], incident: Incident | None = None) -> None:
        """Say something of the catalogue, in the incident's thread or where it was pressed."""
        if incident is not None and self._has_thread(incident):
            self._threads.once(incident, f"{press.id}/said", lambda one: one.say(reason, values))
        else:
            self.reply(press, self._threads.presenter_of(press.place.channel).say(reason, values))

    def upload(
        self, press: Press, incident: Incident, document: Document, reason: str, values: Mapping[str, str]
    ) -> None:
        """Put a file into the incident's thread, or where it was pressed, with a text of the catalogue.

        Raises:
            NotInChannel: the bot may not post there.
            PostFailed: it is not known to stand there.
        """
        if self._has_thread(incident):
            self._threads.upload_once(incident, f"{press.id}/uploaded", document, lambda one: one.say(reason, values))
        else:
            message = self._threads.presenter_of(press.place.channel).say(reason, values)
            self._threads.poster.upload(press.place, document, message)

    def is_of(self, plan: Plan, message: str) -> bool:
        """Whether a message was posted for this plan: a press on any other one counts for nothing."""
        incident = self._threads.incidents.by_id(plan.incident)
        told = incident.told if incident else {}
        return any(one.ts == message for key, one in told.items() if key.startswith(f"{plan.id}/"))

    def reply(self, press: Press, message: Message) -> None:
        """Answer where the press came from; for a command, for the eyes of who gave it where the bot may not post."""
        if press.response_url:
            self._threads.poster.respond(press.response_url, message)
        elif press.place.channel:
            self._threads.poster.post(press.place, message)
        else:
            raise NotInChannel("a press from nowhere")

    def _has_thread(self, incident: Incident) -> bool:
        """Whether answers stand in the incident's thread; one that began in a terminal has none."""
        return self._in_threads and incident.place.is_thread


def slack_user(actor: Actor) -> str:
    """The Slack id of an actor, empty for who is none of Slack's."""
    return actor.id.rpartition("/")[2] if actor.id.startswith(SLACK) else ""
