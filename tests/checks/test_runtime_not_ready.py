"""Why a living kubelet says NotReady, by its message."""

import pytest

from bot.checks.runtime_not_ready import CHECK
from bot.model.sections import Section
from tests.support.checked import ask, open_codes, said, the_blind
from tests.support.lab import ago, cluster, node, without

CNI = (
    "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady "
    "message:Network plugin returns error: cni plugin not initialized"
)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("container runtime is down", "container-runtime-down"),
        (
            "[container runtime is down, PLEG is not healthy: pleg was last seen active 5m0s ago]",
            "container-runtime-down",
        ),
        (CNI, "cni-not-ready"),
        (f"[container runtime is down, {CNI}]", "container-runtime-down"),
    ],
)
def test_fires(message: str, code: str) -> None:
    assert said(ask(CHECK, cluster(nodes=(node(status="False", message=message),)))) == {(code, "node/omen2")}


@pytest.mark.parametrize(
    ("status", "message"),
    [
        ("True", "container runtime is down"),
        ("Unknown", "Kubelet stopped posting node status."),
    ],
)
def test_quiet(status: str, message: str) -> None:
    assert not ask(CHECK, cluster(nodes=(node(status=status, message=message),))).findings


def test_another_message_leaves_it_open() -> None:
    answers = ask(CHECK, cluster(nodes=(node(status="False", message="PLEG is not healthy: threshold is 3m0s"),)))
    assert not answers.findings
    assert the_blind(answers).why == "not-ready-for-another-reason"


def test_a_node_that_has_just_joined_is_not_judged() -> None:
    assert not ask(CHECK, cluster(nodes=(node(status="False", message=CNI, born=ago(seconds=40)),))).findings


def test_without_nodes_it_cannot_tell() -> None:
    assert open_codes(ask(CHECK, without(cluster(), Section.NODES))) == {
        ("container-runtime-down", "cluster"),
        ("cni-not-ready", "cluster"),
    }
