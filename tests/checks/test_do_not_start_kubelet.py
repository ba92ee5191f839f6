"""Would a returning kubelet take the card from the host: mode, policy, reaction of the operator."""

from typing import Any

import pytest

from bot.checks.do_not_start_kubelet import CHECK
from bot.model.objects import Node
from bot.model.sections import NotInstalled, Section
from tests.support.checked import ask, open_codes, said, the, the_blind
from tests.support.lab import DOWN, gpu_node, node, plugin, policy, without
from tests.support.vms import dead_lab

WARNS = ("do-not-start-kubelet", "node/omen2")
RELABELLED = ("already-relabelled", "node/omen2")
MODE = "nvidia.com/gpu.workload.config"
DEPLOYS = {"nvidia.com/gpu.deploy.vfio-manager": "true", "nvidia.com/gpu.deploy.sandbox-device-plugin": "true"}


def _labelled(mode: str = "", **deploys: str) -> Node:
    mine = {MODE: mode} if mode else {}
    return gpu_node(labels={"nvidia.com/gpu.present": "true", **mine, **deploys})


@pytest.mark.parametrize(
    ("one", "default"),
    [
        pytest.param(_labelled("vm-passthrough", **DEPLOYS), "container", id="label"),
        pytest.param(_labelled(**DEPLOYS), "vm-passthrough", id="default"),
        pytest.param(_labelled("nonsense", **DEPLOYS), "vm-passthrough", id="an unknown label counts as none"),
        pytest.param(_labelled("container", **DEPLOYS), "container", id="relabelled, but the operator has not reacted"),
    ],
)
def test_warns(one: Node, default: str) -> None:
    found = the(ask(CHECK, dead_lab(nodes=(one,), clusterpolicies=(policy(default=default),))), "do-not-start-kubelet")
    assert str(found.subject) == "node/omen2"
    assert found.evidence[-1].quote == f"enabled: true, defaultWorkload: {default}"


def test_without_the_policy_the_label_alone_warns() -> None:
    assert said(ask(CHECK, without(dead_lab(), Section.CLUSTERPOLICIES))) == {WARNS}


def test_without_policy_and_label_it_cannot_tell() -> None:
    snapshot = without(dead_lab(nodes=(_labelled(),)), Section.CLUSTERPOLICIES)
    answers = ask(CHECK, snapshot)
    assert not answers.findings
    assert the_blind(answers).why == "workload-mode-not-told"


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"nodes": (gpu_node(mode="container"),)}, id="swapped labels"),
        pytest.param(
            {"nodes": (_labelled("container"),), "pods": (plugin(deleted=DOWN),)}, id="sandbox pods terminating"
        ),
    ],
)
def test_somebody_has_already_relabelled(changes: dict[str, Any]) -> None:
    assert said(ask(CHECK, dead_lab(**changes))) == {RELABELLED}


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"nodes": (gpu_node(status="True"),), "leases": ()}, id="alive"),
        pytest.param({"clusterpolicies": (policy(enabled=False),)}, id="sandbox workloads off: the label is ignored"),
        pytest.param({"clusterpolicies": NotInstalled("clusterpolicies")}, id="no operator"),
        pytest.param({"nodes": (_labelled("vm-vgpu"),)}, id="vGPU rebinds nothing"),
        pytest.param({"nodes": (_labelled("container"),)}, id="always was for containers"),
        pytest.param({"nodes": (node(status="Unknown"),)}, id="no GPU"),
    ],
)
def test_quiet(changes: dict[str, Any]) -> None:
    answers = ask(CHECK, dead_lab(**changes))
    assert not answers.findings
    assert not answers.blind


def test_of_a_dead_node_that_the_list_lacks_it_cannot_tell() -> None:
    answers = ask(CHECK, dead_lab(nodes=(node("worker1"),)))
    assert not answers.findings
    assert (the_blind(answers).why, the_blind(answers).command) == ("node-not-listed", "kubectl get node omen2")


def test_a_policy_that_does_not_say_still_warns_by_the_label() -> None:
    assert WARNS in said(ask(CHECK, dead_lab(clusterpolicies=(policy(enabled=None),))))


def test_without_nodes_it_cannot_tell() -> None:
    assert ("do-not-start-kubelet", "cluster") in open_codes(ask(CHECK, without(dead_lab(), Section.NODES)))
