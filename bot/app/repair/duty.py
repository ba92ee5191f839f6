"""What people on duty ask for beside the steps: to take an incident, the hand-over, the freeze, silence, the story."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

import msgspec

from bot.app.ports import Clock, PostFailed
from bot.app.repair.answering import Answers, slack_user
from bot.app.repair.attributing import identities, pressed
from bot.app.repair.deciding import TRIES, Contended, Decider
from bot.app.repair.one_by_one import OneByOne
from bot.app.repair.ports import Authority, Journal, OpenItem, PostMortems, Silencer, Tells
from bot.app.repair.standing import awaited, is_living, standing, taken, temporary
from bot.app.repair.unresolved import unresolved
from bot.app.requests import Press, PressKind
from bot.app.threads import Threads
from bot.knowledge.blanks import moment
from bot.model.incident import Incident, labels_firing
from bot.model.message import Document, Message
from bot.remedy import freezing
from bot.remedy.audit import details
from bot.remedy.decision import Entry, Freeze, FreezeDecision, Policy
from bot.remedy.plan import Plan

#: How long the alert of what a choice left broken is silent.
SILENCE = timedelta(hours=8)


class Duty:
    """The use cases of who is on duty.

    Args:
        threads: the incidents' threads.
        journal: plans, freeze and audit.
        decider: lets plans know of a freeze.
        authority: who may.
        teller: shows incidents.
        answers: answers presses.
        policy: the operator's rules.
        one_by_one: lets each plan know of a freeze, whatever another one trips over.
        clock: decision time.
        silencer: Alertmanager, where there is one.
        stories: writes post-mortems, where somebody does.
    """

    def __init__(
        self,
        *,
        threads: Threads,
        journal: Journal,
        decider: Decider,
        authority: Authority,
        teller: Tells,
        answers: Answers,
        policy: Policy,
        one_by_one: OneByOne,
        clock: Clock,
        silencer: Silencer | None = None,
        stories: PostMortems | None = None,
    ) -> None:
        self._threads = threads
        self._journal = journal
        self._decider = decider
        self._authority = authority
        self._teller = teller
        self._answers = answers
        self._policy = policy
        self._clock = clock
        self._silencer = silencer
        self._stories = stories
        self._one_by_one = one_by_one
        self._about: Mapping[PressKind, Callable[[Press, Incident], None]] = {
            PressKind.TAKE: self._take,
            PressKind.SILENCE: self._silence,
            PressKind.POSTMORTEM: self._postmortem,
        }

    def handle(self, press: Press) -> None:
        """Do it, or say why not.

        Raises:
            NotWritten: it could not be written down, so it was not done.
        """
        person = self._authority.may(press.actor)
        if press.kind is PressKind.OPEN:
            self._answers.reply(press, self._open_message(press))
        elif press.kind in (PressKind.FREEZE, PressKind.UNFREEZE):
            self._freeze(press)
        elif not person.may:
            self._answers.refuse(press, "repair-may-not", {"who": press.actor.id, "why": person.why})
        else:
            incident = self._threads.incidents.by_id(press.incident)
            if incident is None:
                self._answers.refuse(press, "repair-no-such-incident", {"incident": press.incident})
            else:
                self._about[press.kind](press, incident)

    def again(self, press: Press, noted: Sequence[Mapping[str, str]]) -> None:
        """Say what was done by a press that comes a second time; `noted` is what the audit has of it."""
        done = [details(one) for one in noted if one["type"] != "refused"]
        incident = self._threads.incidents.by_id(press.incident) if press.incident else None
        if press.kind is PressKind.TAKE and done and incident is not None:
            self._tell_taken(press, incident)
        elif press.kind is PressKind.SILENCE and done and incident is not None:
            count, until = len(done[0]["silences"].split(", ")), datetime.fromisoformat(done[0]["until"])
            self._tell_silenced(press, incident, count, until)
        elif press.kind in (PressKind.FREEZE, PressKind.UNFREEZE):
            for told in done:
                self._answers.say(press, told["reason"], {**told, "mention": slack_user(press.actor)})

    def open_list(self) -> tuple[OpenItem, ...]:
        """What is not resolved, oldest first: what waits, runs, is only mitigated, or was left by everybody."""
        every = unresolved(self._threads.incidents, self._journal.plans())
        return tuple(_item(one, self._journal.plans(incident=one.id)) for one in every)

    def _open_message(self, press: Press) -> Message:
        freeze = self._journal.read("").freeze
        return self._answers.cards_of(press.place.channel).open_list(self.open_list(), freeze)

    def _freeze(self, press: Press) -> None:
        """Stop everything by one person, or go on by two; the rule is `remedy.freezing`'s."""
        for _ in range(TRIES):
            before = self._journal.read("").freeze
            decided = self._freeze_decision(before, press)
            if not decided.changed:
                self._journal.note(press.id, decided.entry)
                self._answers.tell(press, decided.reason, decided.values)
                return
            if self._journal.freeze(press.id, before, decided.freeze, decided.entry):
                values = {**decided.values, "mention": slack_user(press.actor)}
                self._answers.say(press, decided.reason, values)
                if decided.freeze.since != before.since:
                    self._stop_or_go_on()
                return
        raise Contended("freeze")

    def _stop_or_go_on(self) -> None:
        """Hold what waits for people, or offer it again, and tell every thread: somebody may be at work on a node."""
        plans = self._journal.plans()
        self._one_by_one.each("freeze", plans, self._decider.tick)
        self._one_by_one.each("freeze", plans, lambda one: self._teller.try_to_catch_up(one.id))

    def _freeze_decision(self, before: Freeze, press: Press) -> FreezeDecision:
        person, now = self._authority.may(press.actor), self._clock.now()
        if press.kind is PressKind.FREEZE:
            decided = freezing.freeze(before, press.actor, person, press.reason, now)
        else:
            known = identities(self._authority, before.unfreeze_votes)
            decided = freezing.unfreeze(before, press.actor, person, now, self._policy, pressed=press.at, known=known)
        entry = msgspec.structs.replace(decided.entry, details={**decided.entry.details, **pressed(press)})
        return msgspec.structs.replace(decided, entry=entry)

    def _take(self, press: Press, incident: Incident) -> None:
        self._journal.note(press.id, _entry("taken", press, incident, {"before": incident.owner}))
        self._tell_taken(press, self._threads.update(incident, lambda one: taken(one, press.actor)))

    def _tell_taken(self, press: Press, incident: Incident) -> None:
        self._answers.say(press, "repair-taken", {"who": press.actor.id, "mention": slack_user(press.actor)}, incident)
        self._teller.show(incident)

    def _silence(self, press: Press, incident: Incident) -> None:
        """Silence exactly the alerts of the incident that still fire, each by all of its labels."""
        every = labels_firing(incident)
        if self._silencer is None or not every:
            self._answers.refuse(press, "repair-no-silence", {"count": str(len(every))})
            return
        until = self._clock.now() + SILENCE
        comment = self._answers.cards_of(incident.place.channel).silence(incident)
        ids: list[str] = []
        failed = ""
        try:
            for labels in every:
                ids.append(self._silencer.silence(labels, until, press.actor, incident.id, comment))
        except RuntimeError as error:
            failed = str(error)
        if ids:
            # Also those that were made before one failed; then the press's own id is for its refusal.
            op_id = f"{press.id}/silenced" if failed else press.id
            details = {"silences": ", ".join(ids), "until": until.isoformat()}
            self._journal.note(op_id, _entry("silenced", press, incident, details))
        if failed:
            values = {"count": str(len(ids)), "until": moment(until), "why": failed}
            self._answers.refuse(press, "repair-silence-failed", values)
        else:
            self._tell_silenced(press, incident, len(ids), until)

    def _tell_silenced(self, press: Press, incident: Incident, count: int, until: datetime) -> None:
        values = {"count": str(count), "until": moment(until), "mention": slack_user(press.actor)}
        self._answers.say(press, "repair-silenced", values, incident)

    def _postmortem(self, press: Press, incident: Incident) -> None:
        if self._stories is None:
            self._answers.refuse(press, "repair-no-postmortem", {"incident": incident.id})
            return
        story = self._stories.markdown(incident, press.place.channel)
        # Not under the press's own id: one that comes again goes on where this one ended, and uploads nothing twice.
        self._journal.note(f"{press.id}/exported", _entry("exported", press, incident, {}))
        document = Document(name=f"postmortem-{incident.id}.md", text=story)
        values = {"incident": incident.id, "mention": slack_user(press.actor)}
        try:
            self._answers.upload(press, incident, document, "repair-postmortem", values)
        except PostFailed as why:
            reason, values = "repair-postmortem-refused", {**values, "why": str(why)}
            details = {**values, "kind": press.kind.value, "reason": reason}
            self._journal.note(f"{press.id}/refused", _entry("refused", press, incident, details))
            self._answers.say(press, reason, values, incident)


def _item(incident: Incident, plans: Sequence[Plan]) -> OpenItem:
    """The incident as its plans say, which nobody may have written down yet; the plan that waits, runs or was last."""
    foremost = (*filter(awaited, plans), *filter(is_living, plans), *reversed(plans))
    waiting = foremost[0] if foremost else None
    step = awaited(waiting) if waiting else ""
    waited_for = waiting.find(step) if waiting else None
    until = waited_for.expires_at if waited_for else None
    changes = [(plan, one) for plan in plans for one in temporary(plan)]
    changes.sort(key=lambda one: str(one[1].temporary_until))
    return OpenItem(incident=standing(incident, plans), plan=waiting, step=step, until=until, temporary=tuple(changes))


def _entry(kind: str, press: Press, incident: Incident, details: Mapping[str, str]) -> Entry:
    return Entry(
        type=kind,
        at=press.at,
        actor=press.actor,
        incident=incident.id,
        plan=press.plan,
        details={**details, **pressed(press)},
    )
