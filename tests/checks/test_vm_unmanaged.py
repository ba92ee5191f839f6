"""Which machines were on a dead node?"""

import pytest

from bot.checks.vm_unmanaged import CHECK
from bot.model.sections import Section
from tests.support.checked import ask, open_codes, said
from tests.support.lab import gpu_node, without
from tests.support.vms import dead_lab, vmi


@pytest.mark.parametrize("phase", ["Running", "Scheduled"])
def test_fires(phase: str) -> None:
    snapshot = dead_lab(virtualmachineinstances=(vmi("web", "omen2", phase, resource=""),))
    assert said(ask(CHECK, snapshot)) == {("vm-unmanaged", "vm/vms/web")}


@pytest.mark.parametrize(("on", "phase"), [("worker1", "Running"), ("omen2", "Succeeded"), ("", "Scheduling")])
def test_quiet(on: str, phase: str) -> None:
    assert not ask(CHECK, dead_lab(virtualmachineinstances=(vmi("web", on, phase, resource=""),))).findings


def test_quiet_on_a_living_node() -> None:
    snapshot = dead_lab(
        nodes=(gpu_node(status="True"),), leases=(), virtualmachineinstances=(vmi("web", "omen2", "Running"),)
    )
    assert not ask(CHECK, snapshot).findings


def test_without_instances_it_cannot_tell() -> None:
    snapshot = without(dead_lab(), Section.VIRTUALMACHINEINSTANCES)
    assert open_codes(ask(CHECK, snapshot)) == {("vm-unmanaged", "cluster")}
