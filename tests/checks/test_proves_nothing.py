"""Good news that proves nothing about a dead node."""

from typing import Any

import pytest

from bot.checks.proves_nothing import CHECK
from bot.model.findings import Kind
from bot.model.sections import Section
from tests.support.checked import ask, open_codes, said, the
from tests.support.lab import daemonset, gpu_node, node, policy, without
from tests.support.vms import dead_lab

ALL = {
    ("clusterpolicy-ready", "clusterpolicy/cluster-policy"),
    ("daemonsets-complete", "cluster"),
    ("allocatable-stale", "node/omen2"),
}


def test_fires() -> None:
    answers = ask(CHECK, dead_lab())
    assert said(answers) == ALL
    assert {one.kind for one in answers.findings} == {Kind.PROVES_NOTHING}


def test_daemonsets_are_compared_with_the_nodes_that_carry_the_label() -> None:
    [evidence] = the(ask(CHECK, dead_lab()), "daemonsets-complete").evidence
    assert evidence.quote == "ready 0 of 0, misscheduled 0, nodes with the deploy label 1"


@pytest.mark.parametrize(
    ("changes", "silent"),
    [
        pytest.param({"clusterpolicies": (policy(state="notReady"),)}, "clusterpolicy-ready", id="policy not ready"),
        pytest.param({"daemonsets": (daemonset(desired=2, is_ready=1),)}, "daemonsets-complete", id="incomplete"),
        pytest.param({"daemonsets": (daemonset("driver"),)}, "daemonsets-complete", id="label on no dead node"),
        pytest.param({"nodes": (gpu_node(gpus={"nvidia.com/gpu": "0"}),)}, "allocatable-stale", id="nothing left"),
    ],
)
def test_each_is_silent_alone(changes: dict[str, Any], silent: str) -> None:
    assert {code for code, _ in said(ask(CHECK, dead_lab(**changes)))} == {code for code, _ in ALL} - {silent}


@pytest.mark.parametrize("one", [gpu_node(status="True"), node(status="Unknown")], ids=["alive", "no GPU"])
def test_quiet(one: Any) -> None:
    assert not ask(CHECK, dead_lab(nodes=(one,), leases=())).findings


def test_without_nodes_it_cannot_tell() -> None:
    assert open_codes(ask(CHECK, without(dead_lab(), Section.NODES))) == {(code, "cluster") for code, _ in ALL}
