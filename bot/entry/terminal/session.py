"""What the commands of repair do, as one person: whoever the API server says sits here."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path

from bot.app.incidents import keys_of, opening
from bot.app.ports import Clock, Cluster, Incidents, Investigator
from bot.app.repair.desk import RepairDesk
from bot.app.repair.ports import Journal, NotBegun, NotWritten
from bot.app.repair.preparing import root_of
from bot.app.repair.standing import is_living
from bot.app.requests import Press, PressKind
from bot.entry.terminal.showing import HERE, Showing
from bot.knowledge.words import Words
from bot.model.incident import Place
from bot.model.refs import Ref
from bot.narrate.reasons import in_words
from bot.remedy.audit import details
from bot.remedy.decision import NOT_BEGUN
from bot.remedy.plan import Actor, Plan


class Session:
    """One person at a terminal.

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
        words: what is said beside the cards.
        warnings: what to know of whatever is written here, in words.
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
        words: Words,
        warnings: tuple[str, ...] = (),
    ) -> None:
        self.actor = actor
        self.cluster = cluster
        self._desk = desk
        self._journal = journal
        self._incidents = incidents
        self._investigator = investigator
        self._showing = showing
        self._keep = keep
        self._clock = clock
        self.words = words
        self.warnings = warnings

    @property
    def refused(self) -> bool:
        """Whether anything was refused."""
        return self._showing.refused

    def say(self, reason: str, **values: str) -> str:
        """A reason of the catalogue; its values may be reasons themselves."""
        return in_words(self.words, reason, values)

    def label(self, key: str, **values: str) -> str:
        """A fixed text of the catalogue."""
        return self.words.filled(key, **values)

    def show_step(self, plan_id: str, step: str) -> str:
        """Show one step as it is, which is what a press binds to; its title, empty if there is none of this name."""
        return self._showing.step(plan_id, step)

    def show_details(self, plan_id: str, step: str) -> None:
        """Show everything of a step."""
        self._showing.details(plan_id, step)

    def offer(self, scope: tuple[Ref, ...], file: Path | None = None) -> Plan | None:
        """The plan of what is wrong with these objects: the one that is there, or a new one; None without any.

        Args:
            scope: the objects.
            file: a host's text, which is kept as a paste by this person, if there is what it is told for.

        Raises:
            NotBegun: there is no journal that it could stand in.
            NoSuchObject: one of them is not there; a plan for another than was named would be nobody's wish.
            ValueError: the file cannot be read, or does not say which node it is of.
        """
        if self._journal.read("").freeze.why == NOT_BEGUN:
            raise NotBegun
        if file is not None:
            # Looked at before: what is not there is named, and then nothing is kept.
            self._investigator.investigate(scope)
            self._keep(file, scope)
        diagnosis = self._investigator.investigate(scope).diagnosis
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
                cluster=self.cluster.name, request_id=request, at=self._clock.now(), place=place, scope=scope
            )
            there = self._incidents.open(fresh)
        self._desk.offer(there, diagnosis, self.actor)
        plans = [one for one in self._journal.plans(incident=there.id) if is_living(one)]
        return plans[-1] if plans else None

    def show(self, plan_id: str) -> None:
        """Show the plan as it is; nothing of one that is not kept."""
        self._showing.catch_up(plan_id)

    def plan(self, plan_id: str) -> Plan | None:
        """The plan as it is; None if there is none."""
        return self._journal.read(plan_id).plan

    def undoing(self, plan_id: str, step: str) -> Plan | None:
        """The plan that takes this step's change back, as long as it is not over; the step's own plan where the
        change turned out to be gone with its object; None as long as there is neither.
        """
        plan = self.plan(plan_id)
        if plan is None:
            return None
        every = self._journal.plans(incident=plan.incident)
        by = next((one for one in every if one.undoes == f"{plan_id}/{step}" and is_living(one)), None)
        its = plan.find(step)
        return by or (plan if its is not None and its.gone_at is not None else None)

    def show_refusal(self, press: Press) -> bool:
        """Show why whoever may dry-run it refused a press; False as long as nothing of it is known."""
        told = [details(one) for one in self._journal.noted(press.id) if one["type"] == "refused"]
        for values in told:
            self._showing.refusal(self.plan(press.plan), values["reason"], values)
        return bool(told)

    def press(
        self,
        kind: PressKind,
        plan_id: str = "",
        step: str = "",
        *,
        incident: str = "",
        option: str = "",
        reason: str = "",
        text: str = "",
    ) -> Press:
        """Do what a button would do; a step is pressed as it is shown here now.

        What is not there is refused by the desk, as everything else, so that the audit has it.

        Raises:
            NotWritten: it was not done, or nobody can tell; the text says which. What was done and is only not
                confirmed to be kept is a warning.
        """
        plan = self.plan(plan_id) if step else None
        pressed = plan.find(step) if plan else None
        press = Press(
            id=f"terminal:{uuid.uuid4().hex}",
            kind=kind,
            actor=self.actor,
            place=HERE,
            at=self._clock.now(),
            plan=plan_id,
            step=step,
            digest=pressed.digest if pressed else "",
            incident=incident,
            option=option,
            # What a terminal of another encoding sends is no letter here.
            reason=reason.encode(errors="replace").decode(),
            text=text,
        )
        try:
            self._desk.handle(press)
        except NotWritten as why:
            if kind is PressKind.OPEN:
                raise
            self._look_after(press, why)
        return press

    def _look_after(self, press: Press, failed: NotWritten) -> None:
        """Whether a press that ended with a failure of the store was done."""
        try:
            is_done = self._journal.known(press.id)
        except NotWritten:
            raise NotWritten(self.say("cli-not-told", why=str(failed))) from failed
        if not is_done:
            raise NotWritten(self.say("cli-not-done", why=str(failed))) from failed
        self.warnings = (*self.warnings, self.say("cli-not-confirmed", why=str(failed)))
