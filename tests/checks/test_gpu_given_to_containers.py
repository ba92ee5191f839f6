"""A machine that waits for a card that its node gives to containers."""

from typing import Any

import pytest

from bot.adapters.files.knowledge import load_knowledge
from bot.checks import CHECKS
from bot.checks.gpu_given_to_containers import CHECK
from bot.diagnose.diagnose import diagnose
from bot.model.sections import Section
from tests.support.checked import ask, open_codes, said
from tests.support.lab import R5090, gpu_node, lease, policy, without
from tests.support.vms import dead_lab, vm

#: omen2 is back, and its card goes to containers: the old name stays, with zero devices.
BACK = gpu_node(status="True", mode="container", gpus={R5090: "0", "nvidia.com/gpu": "1"})
ALIVE: dict[str, Any] = {"nodes": (BACK,), "leases": (lease(),), "pods": ()}


def test_fires_and_is_the_root() -> None:
    snapshot = dead_lab(**ALIVE)
    assert said(ask(CHECK, snapshot)) == {("gpu-given-to-containers", "node/omen2")}
    [root] = diagnose(snapshot, CHECKS, load_knowledge()).roots
    assert root.finding.code == "gpu-given-to-containers"


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"nodes": (gpu_node(status="True"),)}, id="the card goes to machines"),
        pytest.param({"virtualmachines": (vm(status="Running"),), "virtualmachineinstances": ()}, id="nobody waits"),
        pytest.param({"clusterpolicies": (policy(enabled=False),)}, id="sandbox workloads off is another fault"),
        pytest.param({"nodes": (gpu_node(mode="container"),), "leases": ()}, id="dead"),
        pytest.param({"nodes": (gpu_node(mode="container", conditions=()),), "leases": ()}, id="not told"),
    ],
)
def test_quiet(changes: dict[str, Any]) -> None:
    assert not ask(CHECK, dead_lab(**{**ALIVE, **changes})).findings


@pytest.mark.parametrize("gone", [Section.NODES, Section.CLUSTERPOLICIES])
def test_without_its_sections_it_cannot_tell(gone: Section) -> None:
    assert open_codes(ask(CHECK, without(dead_lab(**ALIVE), gone))) == {("gpu-given-to-containers", "cluster")}
