"""Incident A ends where the VMs get the card: they are scheduled, started and seen; and not where CUDA keeps it.

Axes: the option; what of the cluster does its part.
"""

from __future__ import annotations

import pytest

from bot.playground.physics.scheduler import Scheduler
from bot.playground.physics.virt_controller import VirtController
from bot.playground.physics.virt_handlers import VirtHandlers
from bot.playground.physics.world import Controller
from bot.remedy.plan import PlanState, StepState
from tests.app.repair.moves import ESSENTIAL, LATER, VMS, Move
from tests.app.repair.theatre import Theatre, theatre
from tests.app.repair.vms import DONE, TO_THE_VMS, has_ended_with_the_vms, word

__all__ = ["theatre"]

LONG = Move("wait and work", "twenty minutes")


def test_the_vms_get_the_card_to_the_plans_end(theatre: Theatre) -> None:
    play = theatre.opens("with KubeVirt")
    for move in TO_THE_VMS:
        play.do(move)
    has_ended_with_the_vms(play)


def test_two_people_agree_before_anybody_stops_the_job_and_are_called_to_do_it(theatre: Theatre) -> None:
    play = theatre.opens("with KubeVirt")
    first, one, two, stopped = VMS[:4]
    for move in (first, stopped, one, stopped):
        play.do(move)
        assert play.cuda() == "running", "its card has no commands yet"
    assert play.refusals()[-2:] == ["repair-report-before-approval"] * 2
    play.do(two)
    assert "stop-cuda: approved (repair-approved)" in [one.text for one in play.board.posts]
    play.do(stopped)
    assert (play.states()["stop-cuda"], play.cuda()) == ("attested", "stopped")


@pytest.mark.parametrize("lacking", [(Scheduler,), (VirtController,), (Scheduler, VirtController, VirtHandlers)])
def test_where_nobody_schedules_or_starts_them_the_plan_does_not_end(
    theatre: Theatre, lacking: tuple[type[Controller], ...]
) -> None:
    play = theatre.opens("with KubeVirt")
    every = play.controllers
    play.controllers = [one for one in every if not isinstance(one, lacking)]
    for move in TO_THE_VMS:
        play.do(move)
    assert play.states() == {**DONE, "vms-scheduled": "awaiting"}
    for move in (LONG, LONG):
        play.do(move)
    play.controllers = every
    assert (play.step("vms-scheduled").state, play.plan().state) == (StepState.FAILED, PlanState.HALTED)
    assert word(play) == ("ErrorUnschedulable", False)


def test_where_cuda_keeps_the_card_they_stay_down_as_was_chosen(theatre: Theatre) -> None:
    play = theatre.opens("with KubeVirt")
    for move in (*ESSENTIAL, LATER, LATER, LATER, LONG):
        play.do(move)
        assert word(play) == ("ErrorUnschedulable", False), move
    assert (play.plan().state, play.states()["vms-down"]) == (PlanState.DONE, "verified")
    assert (play.cuda(), play.host.state()["driver"]) == ("running", "nvidia")
