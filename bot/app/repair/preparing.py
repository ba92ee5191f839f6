"""What making any plan takes: the dry run of what the bot will do, the nonce of its actions, the entry of its offer."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from bot.app.repair.ports import CannotPrepare, Draft, Hands, Prepared
from bot.app.requests import Press
from bot.remedy.decision import Entry
from bot.remedy.plan import Plan

#: Digits of an action's nonce.
_NONCE = 16


class Refused(Exception):
    """The plan cannot be made; `reason` is a key of the catalogue with `values`."""

    def __init__(self, reason: str, values: Mapping[str, str]) -> None:
        super().__init__(reason)
        self.reason = reason
        self.values = values


def dry_run(hands: Hands | None, draft: Draft) -> Prepared:
    """The draft bound to the live cluster.

    Raises:
        Refused: this process has no hands, or the dry run failed; nothing was changed.
    """
    if hands is None:
        raise Refused("repair-cannot-prepare", {"why": "mutations are off"})
    try:
        return hands.prepare(draft)
    except CannotPrepare as failed:
        raise Refused("repair-cannot-prepare", {"why": str(failed)}) from failed


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
