"""What a decision gives, and what it depends on besides plan, event and time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec

from bot.remedy.persons import Persons
from bot.remedy.plan import Actor, Identity, Plan
from bot.remedy.runbook import Risk

#: How many people each risk class takes where the operator does not say otherwise; what only looks takes none.
QUORUM: Mapping[Risk, int] = {Risk.REVERSIBLE: 1, Risk.DISRUPTIVE: 1, Risk.DESTRUCTIVE: 2}

#: Of a risk class that the policy does not name.
_UNNAMED = 2

#: Why everything is frozen where no journal was begun: a reason of the catalogue.
NOT_BEGUN = "freeze-journal-not-begun"


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """The operator's rules. Windows in seconds.

    `quorum` is how many people a risk class takes; from two on, the requester is not one of them. `solo` is for
    teams of one: every quorum is one and the requester counts, said on every card. `second_channel`: of the words that
    approve what takes several people one comes from a terminal, so that a Slack session alone is never enough.
    """

    quorum: Mapping[Risk, int] = msgspec.field(default_factory=lambda: dict(QUORUM))
    solo: bool = False
    second_channel: bool = False
    mutations: bool = False
    approval_window: int = 900
    execution_window: int = 300
    person_window: int = 3600
    also_known_as: Mapping[str, str] = {}
    """Ids of actors who are people with a second name, by that name: two names are no two people."""

    def quorum_of(self, risk: Risk) -> int:
        """How many people a step of this class takes."""
        return 1 if self.solo else max(1, self.quorum.get(risk, _UNNAMED))

    def persons(self, known: Mapping[str, Identity]) -> Persons:
        """Tells persons by their accounts; `known` is what is known of those, by their ids."""
        return Persons(known, self.also_known_as)


class Freeze(msgspec.Struct, frozen=True, kw_only=True):
    """Whether everything stands still. Unreadable counts as frozen.

    `why` is a person's words, or a reason key where the bot froze by itself or could not read.
    """

    frozen: bool
    why: str = ""
    by: Actor | None = None
    unfreeze_votes: tuple[Actor, ...] = ()
    known: Mapping[str, Identity] = {}
    """Which persons these are, by their ids."""
    since: datetime | None = None
    """When it was put into the journal, which all processes see; None for one that only this process sees."""
    revision: int = 0


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """Mutations of the last hour, newest last, and the limits.

    `running` are steps in flight on any plan, `cordoning` those of them that cordon a node.
    """

    mutations: tuple[datetime, ...] = ()
    failures: tuple[datetime, ...] = ()
    running: int = 0
    cordoning: int = 0
    per_hour: int = 20
    at_once: int = 2
    failures_per_hour: int = 3
    revision: int = 0


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the audit before it is chained: a stable type, who, what about, and details as text."""

    type: str
    at: datetime
    actor: Actor
    plan: str = ""
    incident: str = ""
    step: str = ""
    digest: str = ""
    details: Mapping[str, str] = {}


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """The plan as it is now, what is written down, and the reason, which is logged, shown and audited.

    `refused` says that the event itself did nothing: there is still an entry. `changed` says that the plan differs
    from before; a refused event leaves it as it was unless a deadline was over. `reason` is a key of the catalogue
    with `values`; `work` are steps to wake an executor for. `freeze` is written together with the plan where it is
    not None: too much went wrong, and the bot stops itself.
    """

    plan: Plan
    changed: bool
    reason: str
    refused: bool = False
    values: Mapping[str, str] = {}
    entries: tuple[Entry, ...] = ()
    work: tuple[str, ...] = ()
    freeze: Freeze | None = None


class FreezeDecision(msgspec.Struct, frozen=True, kw_only=True):
    """The freeze as it is now (`freezing`), the reason, and the entry, which there always is."""

    freeze: Freeze
    changed: bool
    reason: str
    entry: Entry
    values: Mapping[str, str] = {}
