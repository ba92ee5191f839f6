"""What takes several people takes a word from a terminal too, where that is wanted. Axes: risk, front, glass."""

from __future__ import annotations

import pytest

from bot.remedy.decision import Policy
from bot.remedy.plan import Actor, StepState
from bot.remedy.runbook import Risk
from tests.support.repairs import BEN, CLEO, active, approve, begin, break_glass, decided, played, step

K_CLEO = Actor("k8s:cleo")
BOTH = Policy(mutations=True, second_channel=True, also_known_as={K_CLEO.id: CLEO.id})


@pytest.mark.parametrize(
    ("risk", "people", "state", "reason"),
    [
        (Risk.DESTRUCTIVE, (BEN, CLEO), StepState.AWAITING, "repair-terminal-needed"),
        (Risk.DESTRUCTIVE, (BEN, K_CLEO), StepState.APPROVED, "repair-approved"),
        (Risk.DESTRUCTIVE, (K_CLEO, BEN), StepState.APPROVED, "repair-approved"),
        (Risk.DESTRUCTIVE, (BEN, CLEO, K_CLEO), StepState.APPROVED, "repair-approved"),
        (Risk.DESTRUCTIVE, (CLEO, K_CLEO), StepState.AWAITING, "repair-approval-counted"),
        (Risk.DESTRUCTIVE, (CLEO, K_CLEO, K_CLEO), StepState.AWAITING, "repair-voted-already"),
        (Risk.DESTRUCTIVE, (CLEO, K_CLEO, BEN), StepState.APPROVED, "repair-approved"),
        (Risk.REVERSIBLE, (BEN,), StepState.APPROVED, "repair-approved"),
    ],
)
def test_where_a_second_channel_is_wanted_one_word_comes_from_a_terminal(
    risk: Risk, people: tuple[Actor, ...], state: StepState, reason: str
) -> None:
    plan = active(step(risk=risk))
    for one in people:
        decision = decided(plan, approve(plan, one), policy=BOTH)
        plan = decision.plan
    assert (plan.step("guard").state, decision.reason) == (state, reason)


def test_approvals_from_before_a_second_channel_was_wanted_do_not_suffice_when_it_begins() -> None:
    plan = active(step(risk=Risk.DESTRUCTIVE))
    plan = played(plan, approve(plan, BEN), approve(plan, CLEO))
    assert decided(plan, begin(), policy=BOTH).reason == "repair-terminal-needed"
    assert decided(plan, begin()).reason == "repair-begun"


def test_glass_is_broken_in_a_terminal_only() -> None:
    plan = active(step(risk=Risk.DESTRUCTIVE))
    assert decided(plan, break_glass(plan, BEN), policy=BOTH).reason == "repair-terminal-needed"
    assert decided(plan, break_glass(plan, K_CLEO), policy=BOTH).plan.step("guard").state is StepState.APPROVED
