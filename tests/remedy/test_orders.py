"""Plays `orders` at random, and once to the end."""

from __future__ import annotations

from hypothesis import settings

from bot.remedy.plan import PlanState
from tests.remedy.orders import AllOrders
from tests.support.repairs import BEN, CLEO

TestAllOrders = AllOrders.TestCase
TestAllOrders.settings = settings(max_examples=60, stateful_step_count=50, deadline=None)


def test_a_plan_can_be_done_at_all() -> None:
    """The invariants are worth something only where events get through."""
    machine = AllOrders()
    for name in ("guard", "wipe"):
        for who in (BEN, CLEO)[: 1 if name == "guard" else 2]:
            machine.approves(who=who, name=name, right=True)
        machine.begins(name=name, owner="executor-1")
        machine.sends(name=name, owner="executor-1")
        machine.hears(name=name, owner="executor-1", result="applied")
        machine.looks(name=name, result="holds")
    machine.reports(who=BEN, name="host", result="good")
    machine.reports(who=BEN, name="handed", result="none")
    machine.reports(who=CLEO, name="handed", result="none")
    machine.looks(name="settle", result="holds")
    assert machine.plan.state is PlanState.DONE
    assert len(machine.sent) == 2
