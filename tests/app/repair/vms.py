"""The repair that gives the card to the VMs: its moves, and how it has ended."""

from __future__ import annotations

from bot.playground.physics.api import MACHINES
from bot.remedy.plan import PlanState
from tests.app.repair.moves import LATER, OFF, START, VMS, WAIT, WORKS
from tests.app.repair.played import Played

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
