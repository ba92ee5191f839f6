"""Plans at every place where a card is posted for them, and what can be pressed on a card."""

from __future__ import annotations

from typing import Any

from bot.model.findings import Code
from bot.model.message import Message
from bot.remedy.decision import Freeze
from bot.remedy.plan import PlanState, StepState
from bot.remedy.planning import Offer, OptionOffer
from tests.support.answers import OMEN2, with_journal
from tests.support.cards import AT, CLEAR, FIRST, GUARD, HOST, RUNBOOK, changed, plan, vote

DIAGNOSIS = with_journal((OMEN2,))
#: The host's step waits, the guard before it is verified.
AT_HOST = plan(changed(GUARD, state=StepState.VERIFIED), changed(HOST, state=StepState.AWAITING, expires_at=AT), CLEAR)
AT_CLEAR = plan(
    changed(GUARD, state=StepState.VERIFIED),
    changed(HOST, state=StepState.ATTESTED),
    changed(CLEAR, state=StepState.AWAITING, expires_at=AT, votes=(vote(FIRST, CLEAR),)),
)
FREEZE = Freeze(frozen=True, why="wrong node!", by=FIRST, since=AT)
CHOOSING = plan(state=PlanState.CHOOSING, steps=(), option="", chosen_by=None)


def buttons(message: Message) -> list[dict[str, Any]]:
    return [element for block in message.blocks if block["type"] == "actions" for element in block["elements"]]


def kinds(message: Message) -> list[str]:
    return [element["action_id"].split(":")[1] for element in buttons(message)]


def offer(**refused: str) -> Offer:
    """What the runbook offers, without the options that are refused: `vms="plan-option-unsafe"`."""
    options = tuple(
        OptionOffer(
            id=one.id,
            refused=refused.get(one.id, ""),
            values={"option": one.id, "code": "do-not-start-kubelet", "step": one.steps[0], "parameter": "node"},
            leaves=one.leaves,
        )
        for one in RUNBOOK.options
    )
    return Offer(runbook=RUNBOOK, root=(Code("kubelet-swap-on"), OMEN2), parameters={}, options=options)


OFFERED = offer()
