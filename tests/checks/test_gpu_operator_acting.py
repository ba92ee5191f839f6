"""Axes: kubelet alive or dead, mode, whether there is a policy, whether it could be read."""

from bot.checks.gpu_operator_acting import CHECK
from bot.model.findings import Kind
from bot.model.sections import Section
from tests.support.checked import ask, open_codes, the
from tests.support.lab import cluster, node, without
from tests.support.vms import dead_lab


def test_it_acts_on_a_gpu_node_whose_kubelet_is_dead() -> None:
    found = the(ask(CHECK, dead_lab()), "gpu-operator-acts")
    assert (found.kind, str(found.subject), found.values["mode"]) == (Kind.ACTING, "node/omen2", "vm-passthrough")
    assert found.evidence


def test_quiet_while_the_kubelet_lives() -> None:
    assert not ask(CHECK, cluster(nodes=(node(),))).findings


def test_quiet_without_a_policy() -> None:
    assert not ask(CHECK, dead_lab(clusterpolicies=())).findings


def test_without_the_policy_it_cannot_tell() -> None:
    assert ("gpu-operator-acts", "cluster") in open_codes(ask(CHECK, without(dead_lab(), Section.CLUSTERPOLICIES)))
