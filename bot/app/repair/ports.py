"""What repair needs from outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from bot.model.diagnosis import Diagnosis
from bot.model.findings import Evidence
from bot.model.incident import Incident
from bot.model.message import Message
from bot.model.objects import ConfigMap
from bot.model.refs import Ref
from bot.model.sections import Unknown
from bot.remedy.decision import Budget, Decision, Entry, Freeze
from bot.remedy.events import Person
from bot.remedy.owners import Owner
from bot.remedy.plan import Action, Actor, Earlier, Plan, PlanStep, Target
from bot.remedy.planning import Offer
from bot.remedy.runbook import Runbook, Verb


class NotWritten(Exception):
    """The audit or the plan could not be written, as far as is known: nothing may run on the strength of it."""


class NotBegun(NotWritten):
    """There is no journal in the store yet: until people begin it everything is frozen (`decision.NOT_BEGUN`)."""

    def __init__(self) -> None:
        super().__init__("there is no audit in this Redis yet: `gpu-autopsy audit init` begins it")


class Ledger(msgspec.Struct, frozen=True, kw_only=True):
    """All that a decision is made from, as read at one moment; `head` is the audit's last entry."""

    plan: Plan | None
    freeze: Freeze
    budget: Budget
    head: str = ""


class Journal(Protocol):
    """Plans, freeze, budget and the chained audit, changed together or not at all."""

    def read(self, plan_id: str) -> Ledger:
        """The state now. An unreadable freeze is frozen; an unreadable plan raises.

        Raises:
            NotWritten: the store is out of reach.
        """
        ...

    def commit(self, op_id: str, before: Ledger, decision: Decision) -> bool:
        """Write plan, entries, budget and work in one step; False if anything changed since `before` was read.

        The same `op_id` a second time changes nothing and answers as the first time did.

        Raises:
            NotWritten: it is not known to be written.
        """
        ...

    def note(self, op_id: str, *entries: Entry) -> None:
        """Chain entries that change no plan (a refused button, an export).

        Raises:
            NotWritten: it is not known to be written.
        """
        ...

    def known(self, op_id: str) -> bool:
        """Whether this op was committed or noted before: then its event was decided, and comes a second time.

        Raises:
            NotWritten: the store is out of reach.
        """
        ...

    def plans(self, *, incident: str = "") -> tuple[Plan, ...]:
        """Plans that are not over, or all of one incident, oldest first."""
        ...

    def freeze(self, op_id: str, before: Freeze, after: Freeze, entry: Entry) -> bool:
        """Change the freeze, audited; False if it changed since."""
        ...

    def entries(self, *, incident: str = "") -> tuple[Mapping[str, str], ...]:
        """The audit's entries as they are stored, oldest first; of one incident, or all."""
        ...


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A step that is not bound yet: what would be done to what."""

    verb: Verb
    target: Ref
    select: str = ""
    params: Mapping[str, str] = {}
    cap: int = 1


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """A draft bound to the live cluster: the object's uid, the fields that matter, the dry run's difference.

    `earlier` are the steps that the bot has claimed on the same object, oldest first, however long ago.
    """

    target: Target
    fingerprint: Mapping[str, str] = {}
    diff: str = ""
    earlier: tuple[Earlier, ...] = ()


class CannotPrepare(Exception):
    """The dry run or its reads failed; the text says how. Nothing was changed."""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a request: `applied`, `refused` (definitely not), `unclear`, `drifted`, `satisfied`."""

    result: str
    why: str = ""
    evidence: tuple[Evidence, ...] = ()


class Hands(Protocol):
    """The executor that speaks to the Kubernetes API. Every mutation is sent once, without a hidden retry."""

    def prepare(self, draft: Draft) -> Prepared:
        """Read and dry-run.

        Raises:
            CannotPrepare: see there.
        """
        ...

    def claim(self, exec_id: str, action: Action, approvers: Sequence[Actor]) -> str:
        """Create the claim object: `ours` (created now), `there` (somebody was here before), `unclear`."""
        ...

    def act(self, exec_id: str, action: Action) -> Result:
        """Re-read, compare, dry-run, then do it once with a precondition."""
        ...

    def observe(self, exec_id: str, action: Action) -> Result:
        """What the cluster shows of an earlier, unclear try: `applied`, `refused` (it did not happen), `unclear`."""
        ...

    def frozen(self) -> Freeze:
        """The freeze that stands in the cluster; unreadable is frozen."""
        ...


class ConfigMaps(Protocol):
    """ConfigMaps, by their names only: whoever lists them sees everybody's configuration."""

    def configmaps(self, refs: Sequence[Ref]) -> tuple[ConfigMap, ...] | Unknown:
        """Those of them that are there; unknown where one could not be read."""
        ...


class Authority(Protocol):
    """Who may approve, read at the moment of asking; a failed look-up is a no with its reason."""

    def may(self, actor: Actor) -> Person:
        """Whether this actor may choose, approve, deny and report."""
        ...

    def others(self, actor: Actor) -> tuple[Actor, ...]:
        """Who else may approve, as far as that is known: whom a break-glass skips."""
        ...


class Owners(Protocol):
    """Who owns an object that a step would change."""

    def owner(self, ref: Ref) -> Owner:
        """Read now (`owners.owner_of`); unknown where it could not be read."""
        ...


class Silencer(Protocol):
    """Alertmanager's silences."""

    def silence(self, matchers: Mapping[str, str], until: datetime, by: Actor, why: str) -> str:
        """Create a silence; returns its id.

        Raises:
            RuntimeError: Alertmanager refused or is out of reach.
        """
        ...


class Library(Protocol):
    """The runbooks."""

    def for_root(self, code: str) -> Runbook | None:
        """The runbook that repairs this root."""
        ...

    def text(self, runbook: str, section: str, lang: str) -> str:
        """A section of its Markdown: of a step, the choice, an option."""
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

    def line(self, incident: Incident, key: str, message: Callable[[Cards], Message]) -> object:
        """Post one line of the cards', once for this key.

        Raises:
            NotInChannel: the bot is not in the channel.
            PostFailed: it was not delivered; it may be tried again.
        """
        ...

    def try_to_catch_up(self, plan_id: str) -> None:
        """The same, whatever Slack says, for who pressed elsewhere; nothing where threads are not this front's."""
        ...

    def show(self, incident: Incident) -> None:
        """Bring what is shown of the incident up to date."""
        ...


class OpenItem(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the hand-over: an open incident, its owner, and what of its plans needs somebody.

    `plan` is the one that waits, `step` what it waits for (`choice`, a step, or empty) until `until`; `temporary`
    are the changes that wait to be taken back, the most urgent first, each with the id of its plan.
    """

    incident: Incident
    plan: Plan | None = None
    step: str = ""
    until: datetime | None = None
    temporary: tuple[tuple[str, PlanStep], ...] = ()


class Cards(Protocol):
    """Plans in words and blocks, in one language."""

    def unoffered(self, offered: Offer, incident: Incident) -> Message:
        """That no plan can be offered: why each option cannot be taken, and the way by hand."""
        ...

    def choice(self, plan: Plan, runbook: Runbook, incident: Incident, diagnosis: Diagnosis) -> Message:
        """The question who wins, with what each option leaves broken, as buttons."""
        ...

    def step(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """One step to approve: object, diff, risk, why this order, what breaks otherwise, quorum, until when."""
        ...

    def outcome(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """What became of a step."""
        ...

    def broken_glass(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """That somebody approved alone, why, and whom that passed over: they are called."""
        ...

    def refusal(self, plan: Plan | None, reason: str, values: Mapping[str, str]) -> Message:
        """Why a press did nothing."""
        ...

    def freeze(self, plan: Plan, freeze: Freeze) -> Message:
        """That everything was frozen, by whom and why, or that it goes on: one line for whoever is at work."""
        ...

    def reminder(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        """A temporary change that is still there after its time, with the button that takes it back."""
        ...

    def finished(self, plan: Plan, incident: Incident) -> Message:
        """How the plan ended: what is left broken by choice, what was attested only, predicted against seen."""
        ...

    def open_list(self, items: Sequence[OpenItem], freeze: Freeze) -> Message:
        """The hand-over: what is open, whose it is, what it waits for, which mitigation expires when."""
        ...
