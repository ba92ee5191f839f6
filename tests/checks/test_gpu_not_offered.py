"""Does a dead node offer its GPU: by the plugin's pod, never by the numbers that are left."""

from typing import Any

import pytest

from bot.checks.gpu_not_offered import CHECK
from bot.model.objects import Node, Pod
from bot.model.sections import Section
from tests.support.checked import ask, open_codes, said, the, the_blind
from tests.support.lab import AT, R5090, cluster, gpu_node, node, plugin, pod, without
from tests.support.vms import dead_lab

NOT_OFFERED = ("gpu-not-offered", "node/omen2")
STANDALONE = pod("nvidia-device-plugin-7xk2p", owner="nvidia-device-plugin", is_ready=False, namespace="kube-system")


@pytest.mark.parametrize(
    "pods",
    [
        pytest.param((plugin(),), id="not ready"),
        pytest.param((plugin(is_ready=True, deleted=AT.replace(hour=1)),), id="terminating"),
        pytest.param((), id="no plugin at all"),
        pytest.param((STANDALONE,), id="a plugin of one's own"),
    ],
)
def test_fires(pods: tuple[Pod, ...]) -> None:
    found = the(ask(CHECK, dead_lab(pods=pods)), "gpu-not-offered")
    assert str(found.subject) == "node/omen2"
    assert found.values["resource"] == R5090
    assert found.evidence


def test_the_numbers_alone_are_no_proof() -> None:
    answers = ask(CHECK, without(dead_lab(), Section.PODS))
    assert not answers.findings
    assert open_codes(answers) == {NOT_OFFERED}


def test_a_plugin_that_still_says_ready_tells_nothing() -> None:
    answers = ask(CHECK, dead_lab(pods=(plugin(is_ready=True),)))
    assert not answers.findings
    assert the_blind(answers).why == "plugin-not-told"


def test_the_plugin_is_found_without_the_nodes() -> None:
    assert said(ask(CHECK, without(dead_lab(), Section.NODES))) == {NOT_OFFERED}


@pytest.mark.parametrize("gone", [(Section.NODES, Section.PODS), (Section.NODES,)])
def test_a_node_that_was_not_seen_may_have_a_gpu(gone: tuple[Section, ...]) -> None:
    answers = ask(CHECK, without(dead_lab(pods=()), *gone))
    assert not answers.findings
    assert NOT_OFFERED in open_codes(answers)


@pytest.mark.parametrize(
    "nodes",
    [
        pytest.param((gpu_node(status="True"),), id="a living node"),
        pytest.param((gpu_node(status="False"),), id="a living kubelet"),
        pytest.param((node(status="Unknown"),), id="a dead node without a GPU"),
    ],
)
def test_quiet(nodes: tuple[Any, ...]) -> None:
    answers = ask(CHECK, cluster(nodes=nodes))
    assert not answers.findings
    assert not answers.blind


def test_labels_are_gone_only_when_seen_to_be() -> None:
    gone = ("nfd-labels-gone", "node/omen2")
    assert gone not in said(ask(CHECK, dead_lab()))
    bare = gpu_node(labels={"kubernetes.io/hostname": "omen2"})
    assert gone in said(ask(CHECK, dead_lab(nodes=(bare, gpu_node("omen1", "True")))))
    # Nothing discovers features where no node has such labels.
    assert gone not in said(ask(CHECK, dead_lab(nodes=(bare,))))


@pytest.mark.parametrize("nodes", [(gpu_node(conditions=()),), ()], ids=["without Ready", "not listed"])
def test_where_nothing_tells_of_the_kubelet_it_is_not_told_either(nodes: tuple[Node, ...]) -> None:
    answers = ask(CHECK, dead_lab(nodes=nodes, leases=()))
    assert not answers.findings
    assert ("gpu-not-offered", "node/omen2") in open_codes(answers)


def test_without_nodes_and_leases_labels_are_not_even_asked_for() -> None:
    answers = ask(CHECK, without(dead_lab(), Section.NODES, Section.LEASES))
    assert open_codes(answers) == {("gpu-not-offered", "cluster")}
