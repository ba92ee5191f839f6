"""Failed sandbox operands beside a machine that holds the GPU."""

from typing import Any

import pytest

from bot.checks.do_not_restart_operands import CHECK
from bot.model.sections import Section
from tests.support.checked import ask, open_codes, said
from tests.support.lab import gpu_node, lease, plugin, without
from tests.support.vms import dead_lab, vmi

ALIVE: dict[str, Any] = {
    "nodes": (gpu_node(status="True"),),
    "leases": (lease(),),
    "pods": (plugin(error=True),),
    "virtualmachineinstances": (vmi(on="omen2", phase="Running"),),
}


def test_warns() -> None:
    assert said(ask(CHECK, dead_lab(**ALIVE))) == {("do-not-restart-operands", "node/omen2")}


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"pods": (plugin(),)}, id="operands well"),
        pytest.param({"virtualmachineinstances": (vmi(on="omen2", phase="Running", resource=""),)}, id="no GPU held"),
        pytest.param({"virtualmachineinstances": ()}, id="no machine"),
        pytest.param({"nodes": (gpu_node(),), "leases": ()}, id="dead"),
    ],
)
def test_quiet(changes: dict[str, Any]) -> None:
    assert not ask(CHECK, dead_lab(**{**ALIVE, **changes})).findings


@pytest.mark.parametrize("gone", [Section.PODS, Section.VIRTUALMACHINEINSTANCES])
def test_without_its_sections_it_cannot_tell(gone: Section) -> None:
    snapshot = without(dead_lab(**ALIVE), gone)
    assert open_codes(ask(CHECK, snapshot)) == {("do-not-restart-operands", "cluster")}
