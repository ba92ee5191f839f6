"""The GPU Operator's settings: ruled out, or the cause."""

import msgspec
import pytest

from bot.checks.cluster_policy import CHECK
from bot.checks.evidence import NONE
from bot.model.findings import Kind
from bot.model.objects import ClusterPolicy
from bot.model.sections import NotInstalled, Section
from tests.support.checked import ask, open_codes, said, the
from tests.support.lab import gpu_node, policy, without
from tests.support.vms import dead_lab, vm

POLICY = "clusterpolicy/cluster-policy"


def test_what_machines_need_is_ruled_out() -> None:
    answers = ask(CHECK, dead_lab())
    assert said(answers) == {("sandbox-workloads", POLICY), ("host-driver", POLICY)}
    assert {one.kind for one in answers.findings} == {Kind.RULED_OUT}


@pytest.mark.parametrize("driver", [True, None])
def test_a_driver_of_the_operator_is_no_host_driver(driver: bool | None) -> None:
    assert said(ask(CHECK, dead_lab(clusterpolicies=(policy(driver=driver),)))) == {("sandbox-workloads", POLICY)}


def test_sandbox_off_is_a_fault_where_a_machine_waits() -> None:
    found = the(ask(CHECK, dead_lab(clusterpolicies=(policy(enabled=False),))), "sandbox-workloads-off")
    assert found.kind is Kind.FAULT
    assert [str(one) for one in found.refs["vm"]] == ["vm/vms/gpu-fedora"]


def test_a_policy_that_does_not_say_is_off_unless_nodes_carry_the_labels_of_vm_operands() -> None:
    silent = dead_lab(clusterpolicies=(policy(enabled=None),))
    answers = ask(CHECK, silent)
    assert ("sandbox-workloads-off", POLICY) in open_codes(answers)
    assert said(answers) == {("host-driver", POLICY)}
    bare = ask(CHECK, msgspec.structs.replace(silent, nodes=(gpu_node(mode="container"),)))
    assert the(bare, "sandbox-workloads-off").evidence[0].quote == NONE


def test_sandbox_off_is_well_where_nobody_waits() -> None:
    snapshot = dead_lab(
        clusterpolicies=(policy(enabled=False),), virtualmachines=(vm(status="Running"),), virtualmachineinstances=()
    )
    assert said(ask(CHECK, snapshot)) == {("host-driver", POLICY)}


def test_the_ignored_policy_does_not_count() -> None:
    policies: tuple[ClusterPolicy, ...] = (policy(enabled=False, state="ignored"), policy())
    assert ("sandbox-workloads", POLICY) in said(ask(CHECK, dead_lab(clusterpolicies=policies)))


def test_without_the_policy_it_cannot_tell() -> None:
    answers = ask(CHECK, without(dead_lab(), Section.CLUSTERPOLICIES))
    assert ("sandbox-workloads", "cluster") in open_codes(answers)


def test_does_not_apply_where_it_is_not_installed() -> None:
    answers = ask(CHECK, dead_lab(clusterpolicies=NotInstalled("clusterpolicies")))
    assert not answers.findings
    assert not answers.blind
