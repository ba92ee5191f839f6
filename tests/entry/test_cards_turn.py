"""Whose turn it is, by a step's card. Axes: who carries it out, what it takes, whether it was agreed to."""

from __future__ import annotations

import msgspec
import pytest

from bot.model.cards import ButtonKind
from bot.remedy.plan import PlanStep, StepState
from bot.remedy.runbook import Risk, Verb
from tests.entry.cards import kinds
from tests.support.blockkit import written
from tests.support.cards import AT, CLEAR, HOST, INCIDENT, cards, changed, plan

SETTLE = changed(CLEAR, action=msgspec.structs.replace(CLEAR.action, verb=Verb.OBSERVE, risk=Risk.READ))


def test_what_people_do_themselves_and_cannot_take_back_shows_its_commands_once_two_agreed() -> None:
    deadly = changed(HOST, action=msgspec.structs.replace(HOST.action, risk=Risk.DESTRUCTIVE), after=())
    waits = plan(changed(deadly, state=StepState.AWAITING))
    asked = cards().step(waits, "host-off", INCIDENT)
    assert asked.text.startswith("WAITING FOR APPROVAL lab node/omen2: ")
    assert kinds(asked) == ["approve", "deny", "break-glass", "details"]
    assert "They stand here once the step is approved." in written(asked)
    agreed = plan(changed(deadly, state=StepState.APPROVED))
    to_do = cards().step(agreed, "host-off", INCIDENT)
    assert to_do.text.startswith("WAITING FOR A PERSON lab node/omen2: ")
    assert kinds(to_do) == ["report", "deny", "details"], "a veto still counts"
    for where, is_shown in ((waits, False), (agreed, True)):
        shown = [
            written(cards().step(where, "host-off", INCIDENT)),
            str(cards().details(where, "host-off", INCIDENT)),
            str(cards().form(ButtonKind.REPORT, where, "host-off", "{}")),
        ]
        assert [HOST.action.commands[0] in one for one in shown] == [is_shown] * 3
    line = cards().outcome(agreed, "host-off", INCIDENT)
    assert "approved. Its card has the commands now" in line.text
    assert "<@U0FIRST>" in line.text


@pytest.mark.parametrize(
    ("one", "state", "heading"),
    [
        (CLEAR, StepState.AWAITING, "Expires"),
        (CLEAR, StepState.APPROVED, "Begins before"),
        (HOST, StepState.APPROVED, "Expires"),
        (SETTLE, StepState.AWAITING, "Expires"),
    ],
)
def test_until_when_it_may_begin_is_said_of_what_the_bot_was_told_to_do(
    one: PlanStep, state: StepState, heading: str
) -> None:
    waits = changed(one, state=state, after=(), expires_at=AT)
    shown = written(cards().step(plan(waits), one.action.step, INCIDENT))
    assert [word for word in ("Expires", "Begins before") if f"*{word}*" in shown] == [heading]
