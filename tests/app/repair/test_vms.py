"""Incident A ends where the VMs get the card: they are scheduled, started and seen; and not where CUDA keeps it.

Axes: the option; what of the cluster does its part.
"""

from __future__ import annotations

import pytest

from bot.playground.physics.api import MACHINES
from bot.playground.physics.scheduler import Scheduler
from bot.playground.physics.virt_controller import VirtController
from bot.playground.physics.virt_handlers import VirtHandlers
from bot.playground.physics.world import Controller
from bot.remedy.plan import PlanState, StepState
from tests.app.repair.moves import ESSENTIAL, LATER, OFF, START, VMS, WAIT, WORKS
from tests.app.repair.played import Move, Played
from tests.app.repair.theatre import Theatre, theatre

__all__ = ["theatre"]

LONG = Move("wait and work", "twenty minutes")
#: From the choice until the kubelet lives, the card under vfio: two minutes of being Ready, then the looks.
TO_THE_VMS = (*VMS, WORKS, WAIT, WORKS, OFF, START, LATER, LATER, LATER)
DONE = {
    "stop-cuda": "attested",
    "card-to-vms": "verified",
    "host-off": "attested",
    "start-kubelet": "attested",
    "settle": "verified",
    "offered-vms": "verified",
    "vms-scheduled": "verified",
}


def word(play: Played, name: str = "gpu-fedora") -> tuple[str, bool]:
    """What the cluster says of a machine."""
    (vm,) = [one for one in play.api.list(MACHINES) if one["metadata"]["name"] == name]
    return vm["status"]["printableStatus"], vm["status"]["ready"]


def has_ended_with_the_vms(play: Played) -> None:
    """Every step is done, the last one with what the cluster said."""
    assert (play.plan().state, play.states()) == (PlanState.DONE, DONE)
    step = play.step("vms-scheduled")
    assert {(one.field, one.quote) for one in step.evidence} == {
        ("status.printableStatus", "Running"),
        ("status.phase", "Running"),
    }
    assert (play.cuda(), play.host.state()["driver"]) == ("stopped", "vfio-pci")
    assert (word(play), word(play, "rhel9-gpu-vm")) == (("Running", True), ("ErrorUnschedulable", False))
    assert play.audit_holds()
    found = play.incidents.by_id(play.plan().incident)
    assert found is not None
    assert found.left == (), "nothing is broken by choice"


def test_the_vms_get_the_card_to_the_plans_end(theatre: Theatre) -> None:
    play = theatre.opens("with KubeVirt")
    for move in TO_THE_VMS:
        play.do(move)
    has_ended_with_the_vms(play)


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
