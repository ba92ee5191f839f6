"""Makes plans: offers what the root's runbook says, and builds the steps of the option that a person chose.

Parameters come from findings only, looked at anew when somebody chooses; what the bot will do is dry-run before it is
shown. A plan whose cause turns out to have a cause of its own gives way to that one's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping

import msgspec

from bot.app.incidents import signs_of
from bot.app.ports import Clock, Investigator
from bot.app.repair.attributing import said_by_bot, said_by_person
from bot.app.repair.deciding import Decider
from bot.app.repair.own_pods import OwnPods
from bot.app.repair.ports import Authority, Draft, Journal, Library, Owners, Tells
from bot.app.repair.preparing import Preparer, Refused, nonce_of, offer_entry, offered_now
from bot.app.repair.standing import is_living, planned, undone
from bot.app.requests import Press
from bot.app.threads import Threads
from bot.model.diagnosis import Certainty, Diagnosis, Key, Root
from bot.model.findings import Kind
from bot.model.incident import Incident
from bot.model.refs import Ref
from bot.remedy import planning
from bot.remedy.decision import Decision, Entry
from bot.remedy.drafting import CannotPlan, StepDraft
from bot.remedy.events import Chosen, Event, Superseded
from bot.remedy.parameters import belonging_to
from bot.remedy.plan import BOT, Actor, Plan, PlanState, PlanStep, StepState
from bot.remedy.rules import quotes
from bot.remedy.runbook import Runbook

#: What makes nobody offer a plan again by himself: people said no, or it is done.
_ANSWERED = frozenset({PlanState.DONE, PlanState.ABORTED})


def nothing_kept(_plan: str, _diagnosis: Diagnosis) -> Mapping[str, str]:
    """No report is kept."""
    return {}


class Chooser:
    """Makes plans.

    Args:
        cluster: the cluster's name.
        journal: the plans as they are.
        decider: writes them.
        library: the runbooks.
        investigator: the findings.
        authority: who may choose.
        owners: who owns what would be changed.
        preparer: dry-runs what the bot will do.
        own_pods: looks for the bot's own pods where people will work.
        threads: the incidents.
        teller: tells why nothing can be offered.
        clock: decision time.
        keep_report: keeps what was diagnosed when a plan is offered; what it returns goes into the audit.
        can_run: whether anybody can carry out what is approved; otherwise plans are commands to copy.
    """

    def __init__(
        self,
        *,
        cluster: str,
        journal: Journal,
        decider: Decider,
        library: Library,
        investigator: Investigator,
        authority: Authority,
        owners: Owners,
        preparer: Preparer,
        own_pods: OwnPods,
        threads: Threads,
        teller: Tells,
        clock: Clock,
        keep_report: Callable[[str, Diagnosis], Mapping[str, str]] = nothing_kept,
        can_run: Callable[[], bool],
    ) -> None:
        self._cluster = cluster
        self._journal = journal
        self._decider = decider
        self._library = library
        self._investigator = investigator
        self._authority = authority
        self._owners = owners
        self._preparer = preparer
        self._own_pods = own_pods
        self._threads = threads
        self._teller = teller
        self._clock = clock
        self._keep_report = keep_report
        self._can_run = can_run

    def offer(self, incident: Incident, diagnosis: Diagnosis, requester: Actor | None) -> tuple[str, ...]:
        """Offer a plan for each observed root that has a runbook; the ids of plans that have something to tell.

        Raises:
            NotWritten: the journal is out of reach.
        """
        told: list[str] = []
        for root in diagnosis.roots:
            runbook = self._library.for_root(str(root.finding.code))
            if runbook is not None and root.certainty is Certainty.OBSERVED:
                told += self._offer(incident, diagnosis, root, runbook, requester)
        return tuple(told)

    def _offer(
        self, incident: Incident, diagnosis: Diagnosis, root: Root, runbook: Runbook, requester: Actor | None
    ) -> list[str]:
        offered = planning.offer(diagnosis, root.finding.key, runbook)
        every = self._journal.plans(incident=incident.id)
        earlier = [one for one in every if one.subject == root.finding.subject and not one.undoes]
        if not _is_wanted(earlier, undone(every), str(root.finding.code), requester):
            for plan in earlier:
                if plan.state is PlanState.CHOOSING:
                    self._teller.offered_anew(plan, incident, offered)
            return []
        if not offered.usable:
            self._say_why_not(incident, offered)
            return []
        if self._is_elsewhere(incident, root.finding.subject):
            return []
        plan_id = f"{incident.id}-{len(every) + 1}"
        told = [self._supersede(one, plan_id) for one in earlier if is_living(one)]
        if not all(told):
            return []
        plan = planning.skeleton(
            offered,
            plan_id=plan_id,
            incident=incident.id,
            cluster=self._cluster,
            requester=requester or BOT,
            at=self._clock.now(),
            signs=signs_of(diagnosis, root.finding),
            dry=not self._can_run(),
        )
        if requester is not None:
            # Whoever asked may never press anything, and no other account of theirs may approve.
            asked = self._authority.may(requester).identity
            plan = msgspec.structs.replace(plan, known={requester.id: asked})
        kept = self._keep_report(plan_id, diagnosis)
        decision = _offering(plan, diagnosis, root.finding.key, kept)
        # Before the plan is there: whoever dies in between leaves an incident too many in the list, not one too few.
        self._threads.update(incident, planned)
        return [*told, self._decider.create(f"{plan_id}/offered", decision).id]

    def _say_why_not(self, incident: Incident, offered: planning.Offer) -> None:
        """Write down and tell, once for the same reasons, that nothing of the runbook can be chosen."""
        why = {one.id: " ".join((one.refused, *map("=".join, one.values.items()))) for one in offered.options}
        code, subject = offered.root
        key = f"unoffered/{hashlib.sha256(repr((code, str(subject), why)).encode()).hexdigest()[:16]}"
        if not self._journal.known(f"{incident.id}/{key}"):
            told = {"root": str(code), "subject": str(subject), "runbook": offered.runbook.name, **why}
            entry = Entry(
                type="not-offered",
                at=self._clock.now(),
                actor=BOT,
                incident=incident.id,
                details={**told, "reason": "repair-no-offer"},
            )
            self._journal.note(f"{incident.id}/{key}", entry)
        self._teller.line(incident, key, lambda cards: cards.unoffered(offered, incident))

    def _is_elsewhere(self, incident: Incident, subject: Ref) -> bool:
        """Whether a plan of another incident is at work on this object; the thread then says which."""
        found = [one for one in self._journal.plans() if one.subject == subject and one.incident != incident.id]
        living = next((one for one in found if is_living(one)), None)
        if living is not None:
            values = {"plan": living.id, "subject": str(subject)}
            self._teller.say(incident, f"elsewhere/{living.id}", "repair-plan-elsewhere", values)
        return living is not None

    def _supersede(self, plan: Plan, by: str) -> str:
        """End a plan in favour of another; empty where something of it is on its way."""
        event = Superseded(**said_by_bot(self._clock.now(), f"{plan.id}/superseded/{by}"), by=by)
        decision = self._decider.decide(plan.id, lambda _: event, refusals=False)
        return "" if decision.refused else plan.id

    def choice(self, press: Press, plan: Plan) -> Callable[[Plan], Event]:
        """The event of a choice, its steps built; who may not choose gets none built, and is refused.

        Raises:
            Refused: the option cannot be chosen any more, or the dry run failed.
        """
        steps: tuple[PlanStep, ...] = ()
        offer = planning.OptionOffer(id=press.option)
        if plan.state is PlanState.CHOOSING and self._authority.may(press.actor).may:
            offer, steps = self._build(press, plan)
        return lambda _: Chosen(
            **said_by_person(press, self._authority.may(press.actor)),
            option=press.option,
            steps=steps,
            leaves=offer.leaves,
            predicted=offer.prediction.predicted,
            due=offer.prediction.due,
        )

    def _build(self, press: Press, plan: Plan) -> tuple[planning.OptionOffer, tuple[PlanStep, ...]]:
        runbook = self._library.for_root(plan.root)
        incident = self._threads.incidents.by_id(plan.incident)
        if runbook is None or incident is None:
            raise Refused("repair-no-runbook", {"root": plan.root})
        offered, diagnosis = offered_now(self._investigator, runbook, plan, incident)
        if all(one.finding.key != offered.root for one in diagnosis.roots):
            raise Refused("repair-root-gone", {"root": plan.root, "subject": str(plan.subject)})
        try:
            owners = {ref: self._owners.owner(ref) for ref in planning.owned(offered, press.option)}
            made = planning.drafts(offered, press.option, owners)
            undos = planning.undo_drafts(offered, made, owners)
            prepared = self._preparer.prepare(
                {one.id: _unbound(one) for one in made if one.is_mutation and not plan.dry}
            )
        except CannotPlan as why:
            raise Refused(why.reason, why.values) from why
        notes = {one.id: self._own_pods.notes(one.verb, one.target) for one in made}
        steps = planning.build_steps(
            made, prepared, undos=undos, notes=notes, runbook=runbook, cluster=self._cluster, nonce=nonce_of(press)
        )
        return offered.option(press.option), steps


def _unbound(draft: StepDraft) -> Draft:
    return Draft(verb=draft.verb, target=draft.target, select=draft.select, params=draft.params, cap=draft.cap)


def _is_wanted(earlier: list[Plan], back: frozenset[str], root: str, requester: Actor | None) -> bool:
    """Whether a new plan is to be offered beside what was offered before, oldest first.

    `back` are those of which a change was taken back: such a one is done no more.
    """
    living = [one for one in earlier if is_living(one)]
    if living:
        return all(one.root != root for one in living)
    last = next((one for one in reversed(earlier) if one.state is not PlanState.SUPERSEDED), None)
    if last is None:
        return True
    states = {one.state for one in last.steps}
    if StepState.UNKNOWN in states:
        # First somebody has to say what became of it.
        return False
    is_answered = last.state in _ANSWERED and not (last.state is PlanState.DONE and last.id in back)
    return requester is not None or not (is_answered or StepState.DENIED in states)


def _offering(plan: Plan, diagnosis: Diagnosis, root: Key, kept: Mapping[str, str]) -> Decision:
    """A new plan, and its entry with the evidence as it is now: events live for an hour."""
    findings = [one for one in belonging_to(diagnosis, root) if one.kind is Kind.FAULT]
    evidence = {f"evidence {one.code} {one.subject}": quotes(one.evidence) for one in findings if one.evidence}
    entry = offer_entry(plan, {**kept, **evidence})
    return Decision(plan=plan, changed=True, reason="repair-plan-offered", entries=(entry,))
