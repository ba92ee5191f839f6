"""Do operand pods hang on a dead node?"""

from datetime import timedelta
from typing import Any

import pytest

from bot.checks.operands_stuck import CHECK
from bot.model.objects import Pod
from bot.model.sections import Section
from tests.support.checked import ask, open_codes, the
from tests.support.lab import AT, DOWN, gpu_node, plugin, pod, without
from tests.support.vms import dead_lab


def test_counts_what_ends_and_what_failed() -> None:
    pods = (plugin(error=True), pod("vfio", operand="vfio-manager", deleted=DOWN, error=True), pod("web"))
    found = the(ask(CHECK, dead_lab(pods=pods)), "operands-stuck")
    assert found.values == {"terminating": 1, "error": 1}
    assert {one.field for one in found.evidence} == {
        "metadata.deletionTimestamp",
        "status.containerStatuses[main].state.terminated",
    }


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"pods": (plugin(),)}, id="not ready is no failure"),
        pytest.param({"pods": (plugin(deleted=AT + timedelta(seconds=20)),)}, id="still within its grace"),
        pytest.param({"pods": (pod("web", error=True, deleted=DOWN),)}, id="no operand"),
        pytest.param({"nodes": (gpu_node(status="True"),), "leases": (), "pods": (plugin(error=True),)}, id="alive"),
    ],
)
def test_quiet(changes: dict[str, Any]) -> None:
    assert not ask(CHECK, dead_lab(**changes)).findings


def test_without_pods_it_cannot_tell() -> None:
    assert open_codes(ask(CHECK, without(dead_lab(), Section.PODS))) == {("operands-stuck", "cluster")}


def test_a_failed_pod_without_container_states_is_quoted_by_its_phase() -> None:
    one = Pod(metadata=plugin().metadata, spec=plugin().spec, status=type(plugin().status)(phase="Failed"))
    assert the(ask(CHECK, dead_lab(pods=(one,))), "operands-stuck").evidence[0].quote == "Failed"
