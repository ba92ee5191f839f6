"""Are the devices permitted, and are the names those that nodes advertise?"""

from typing import Any

import pytest

from bot.checks.permitted_devices import CHECK
from bot.model.findings import Kind
from bot.model.sections import Section
from tests.support.checked import ask, open_codes, said, the, the_blind
from tests.support.lab import R3090, R5090, gpu_node, without
from tests.support.vms import dead_lab, kubevirt, vm


def test_both_are_ruled_out_when_all_matches() -> None:
    answers = ask(CHECK, dead_lab())
    assert said(answers) == {
        ("permitted-devices", "kubevirt/kubevirt/kubevirt"),
        ("resource-names", "kubevirt/kubevirt/kubevirt"),
    }
    assert {one.kind for one in answers.findings} == {Kind.RULED_OUT}
    quote = the(answers, "permitted-devices").evidence[0].quote
    assert quote == f"10de:2b85 -> {R5090} externalResourceProvider: true"


def test_a_device_that_is_not_permitted() -> None:
    found = the(ask(CHECK, dead_lab(kubevirts=(kubevirt(R3090),))), "vm-device-not-permitted")
    assert found.values == {"resource": R5090, "permitted": R3090}


def test_without_a_configuration_nothing_is_said_to_be_refused() -> None:
    answers = ask(CHECK, dead_lab(kubevirts=()))
    assert said(answers) == {("resource-names", "kubevirt")}
    assert the_blind(answers).why == "kubevirt-not-seen"


@pytest.mark.parametrize("name", ["nvidia.com/gb202_geforce_rtx_5090", R3090])
def test_a_name_that_no_node_has(name: str) -> None:
    snapshot = dead_lab(kubevirts=(kubevirt(name),), virtualmachines=(vm(resource=name),), virtualmachineinstances=())
    found = the(ask(CHECK, snapshot), "resource-name-mismatch")
    assert found.values == {"resource": name, "advertised": R5090}


@pytest.mark.parametrize("gpus", [{}, {"nvidia.com/gpu": "1"}])
def test_where_no_node_advertises_for_machines_a_name_is_not_called_wrong(gpus: dict[str, str]) -> None:
    answers = ask(CHECK, dead_lab(nodes=(gpu_node(gpus=gpus),)))
    assert said(answers) == {("permitted-devices", "kubevirt/kubevirt/kubevirt")}
    assert the_blind(answers).why == "no-advertiser-seen"


def test_a_node_that_shows_no_name_may_be_the_one_that_had_it() -> None:
    nodes = (gpu_node(gpus={}), gpu_node("omen1", gpus={R3090: "1"}))
    answers = ask(CHECK, dead_lab(nodes=nodes))
    assert said(answers) == {("permitted-devices", "kubevirt/kubevirt/kubevirt")}
    blind = the_blind(answers)
    assert (blind.codes, str(blind.subject)) == (("resource-name-mismatch",), "vm/vms/gpu-fedora")
    given = (gpu_node(gpus={"nvidia.com/gpu": "1"}, mode="container"), gpu_node("omen1", gpus={R3090: "1"}))
    assert the(ask(CHECK, dead_lab(nodes=given)), "resource-name-mismatch").values["advertised"] == R3090


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"virtualmachines": (), "virtualmachineinstances": ()}, id="no machines"),
        pytest.param(
            {"virtualmachines": (vm("web", "Running", ""),), "virtualmachineinstances": ()},
            id="machines without devices",
        ),
    ],
)
def test_quiet_where_nobody_asks(changes: dict[str, Any]) -> None:
    answers = ask(CHECK, dead_lab(**changes))
    assert not answers.findings
    assert not answers.blind


@pytest.mark.parametrize("gone", [Section.KUBEVIRTS, Section.VIRTUALMACHINES])
def test_without_its_sections_it_cannot_tell(gone: Section) -> None:
    answers = ask(CHECK, without(dead_lab(), gone))
    assert not answers.findings
    assert ("vm-device-not-permitted", "cluster") in open_codes(answers)


def test_without_nodes_names_are_not_told() -> None:
    answers = ask(CHECK, without(dead_lab(), Section.NODES))
    assert said(answers) == {("permitted-devices", "kubevirt/kubevirt/kubevirt")}
    assert the_blind(answers).codes == ("resource-name-mismatch",)
