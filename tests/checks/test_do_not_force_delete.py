"""What must not be deleted by force: stuck pods and launchers of a dead node that is not fenced."""

from typing import Any

import pytest

from bot.checks.do_not_force_delete import CHECK, FENCED
from bot.checks.evidence import stamp
from bot.model.sections import Section
from tests.support.checked import ask, open_codes, the
from tests.support.lab import DOWN, gpu_node, pod, without
from tests.support.vms import dead_lab, vmi

LAUNCHER = pod("virt-launcher-web", labels={"kubevirt.io": "virt-launcher"}, namespace="vms")
STUCK = pod("db-0", deleted=DOWN, namespace="default")


@pytest.mark.parametrize(
    ("changes", "quotes"),
    [
        pytest.param({"pods": (STUCK,)}, {stamp(DOWN)}, id="stuck pod"),
        pytest.param({"pods": (LAUNCHER,)}, {"omen2"}, id="launcher"),
        pytest.param({"virtualmachineinstances": (vmi("web", "omen2", "Running"),)}, {"omen2"}, id="instance"),
    ],
)
def test_warns(changes: dict[str, Any], quotes: set[str]) -> None:
    found = the(ask(CHECK, dead_lab(**changes)), "do-not-force-delete")
    assert {one.quote for one in found.evidence} == quotes


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"nodes": (gpu_node(taints=[FENCED]),), "pods": (STUCK, LAUNCHER)}, id="fenced"),
        pytest.param({"nodes": (gpu_node(status="True"),), "leases": (), "pods": (STUCK,)}, id="alive"),
        pytest.param({"pods": (pod("web"),)}, id="nothing stuck"),
        pytest.param(
            {"pods": (pod("done", labels={"kubevirt.io": "virt-launcher"}, phase="Succeeded"),)}, id="ended launcher"
        ),
    ],
)
def test_quiet(changes: dict[str, Any]) -> None:
    assert not ask(CHECK, dead_lab(**changes)).findings


def test_without_pods_it_cannot_tell() -> None:
    assert open_codes(ask(CHECK, without(dead_lab(), Section.PODS))) == {("do-not-force-delete", "cluster")}
