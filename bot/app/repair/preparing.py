"""What making any plan takes: what can be chosen now, the dry run, the nonce of its actions, the entry of its offer."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import msgspec

from bot.app.looking import look
from bot.app.ports import Clock, Investigator
from bot.app.repair.gaps import stop_for_gap
from bot.app.repair.ports import CannotPrepare, Draft, Hands, Journal, Prepared
from bot.app.requests import Press
from bot.model.diagnosis import Diagnosis, Key
from bot.model.findings import Code
from bot.model.incident import Incident
from bot.remedy import planning
from bot.remedy.decision import Entry
from bot.remedy.earlier import attributed, lately
from bot.remedy.plan import Plan
from bot.remedy.rules import because
from bot.remedy.runbook import Runbook

#: Digits of an action's nonce.
_NONCE = 16


class Refused(Exception):
    """The plan cannot be made; `reason` is a key of the catalogue with `values`."""

    def __init__(self, reason: str, values: Mapping[str, str]) -> None:
        super().__init__(reason)
        self.reason = reason
        self.values = values


class Preparer:
    """Binds drafts to the live cluster.

    Args:
        hands: dry-runs what the bot will do; None where this process may not.
        journal: knows what the bot did.
        clock: decision time.
        world: the cluster's time.
    """

    def __init__(self, *, hands: Hands | None, journal: Journal, clock: Clock, world: Clock) -> None:
        self._hands = hands
        self._journal = journal
        self._clock = clock
        self._world = world

    def prepare(self, drafts: Mapping[str, Draft]) -> Mapping[str, Prepared]:
        """The drafts of a plan, by step, bound to the live cluster, with what the bot did there lately, in which plan.

        The audit is read once, and only where the cluster has claims. Where it does not know of something that the
        cluster says was done, everything is frozen, once.

        Raises:
            Refused: this process has no hands, or the dry run failed; nothing was changed.
            NotWritten: the journal is out of reach.
        """
        bound = {step: self._bound(draft) for step, draft in drafts.items()}
        claims = {step: lately(one.earlier, self._world.now()) for step, one in bound.items()}
        entries = self._journal.entries() if any(claims.values()) else ()
        for step, its in claims.items():
            told = attributed(its, entries)
            for one in told:
                if not one.plan:
                    stop_for_gap(self._journal, one, self._clock.now())
            bound[step] = msgspec.structs.replace(bound[step], earlier=told)
        return bound

    def _bound(self, draft: Draft) -> Prepared:
        if self._hands is None:
            raise _unprepared(draft, "prepare-mutations-off", {})
        try:
            return self._hands.prepare(draft)
        except CannotPrepare as failed:
            raise _unprepared(draft, failed.why, failed.values) from failed


def _unprepared(draft: Draft, why: str, values: Mapping[str, str]) -> Refused:
    return Refused("repair-cannot-prepare", because({"subject": str(draft.target)}, why, values))


def root_of(plan: Plan) -> Key:
    """What the plan repairs, as a diagnosis names it."""
    return Code(plan.root), plan.subject


def offered_now(
    investigator: Investigator, runbook: Runbook, plan: Plan, incident: Incident
) -> tuple[planning.Offer, Diagnosis]:
    """What can be chosen now, by a fresh look: the same for cards and for choices, so a button that is shown works."""
    _, diagnosis = look(investigator, (*incident.scope, plan.subject))
    return planning.offer(diagnosis, root_of(plan), runbook), diagnosis


def nonce_of(press: Press) -> str:
    """The nonce of the actions that this press makes: the same when it is delivered again."""
    return hashlib.sha256(press.id.encode()).hexdigest()[:_NONCE]


def offer_entry(plan: Plan, details: Mapping[str, str]) -> Entry:
    """What the audit says of a new plan; `details` beside what it repairs and how."""
    told = {"root": plan.root, "subject": str(plan.subject), "runbook": plan.runbook}
    return Entry(
        type="plan-offered",
        at=plan.created_at,
        actor=plan.requester,
        plan=plan.id,
        incident=plan.incident,
        details={**told, **details},
    )
