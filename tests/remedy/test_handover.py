"""What each owner is told, change by change: lines that a shell takes, and the values to commit."""

from __future__ import annotations

import subprocess

import pytest
import yaml

from bot.model.refs import Ref
from bot.remedy.handover import Change, HandOver, hand_over
from bot.remedy.owners import Owner, OwnerKind

AGENT = Ref("ds", "eks-node-monitoring-agent", "kube-system")
KARPENTER = Ref("deploy", "karpenter", "kube-system")
FACTS = {
    "architecture": "amd64",
    "eks-cluster": "train-eu",
    "karpenter-version": "1.4.0",
    "container": "controller",
    "gate": "NodeRepair",
    "value": "false",
}
OWNERS = [
    Owner(kind=OwnerKind.EKS_ADDON, name="eks-node-monitoring-agent"),
    Owner(kind=OwnerKind.HELM, name="nma", namespace="kube-system"),
    Owner(kind=OwnerKind.ARGOCD, name="infra"),
    Owner(kind=OwnerKind.FLUX, name="nma", namespace="flux-system", through="helmrelease"),
    Owner(kind=OwnerKind.CONTROLLER, name="np", through="NodePolicy"),
    Owner(kind=OwnerKind.PLAIN),
    Owner(kind=OwnerKind.UNKNOWN),
]


def told(change: Change, owner: Owner, **facts: str) -> HandOver:
    return hand_over(change, owner, KARPENTER if change is Change.NODE_REPAIR else AGENT, {**FACTS, **facts})


@pytest.mark.parametrize("owner", OWNERS, ids=lambda one: one.kind.value)
@pytest.mark.parametrize("change", list(Change))
def test_the_lines_are_shell(change: Change, owner: Owner) -> None:
    lines = told(change, owner).commands
    subprocess.run(["bash", "-n"], input="\n".join(lines), text=True, check=True)
    assert not lines or not lines[-1].endswith("\\")


@pytest.mark.parametrize("architecture", ["amd64", "arm64"])
@pytest.mark.parametrize("owner", OWNERS, ids=lambda one: one.kind.value)
@pytest.mark.parametrize("change", list(Change))
def test_the_lines_alone_say_what_to_do(change: Change, owner: Owner, architecture: str) -> None:
    text = "\n".join(told(change, owner, architecture=architecture).commands)
    wanted = {
        Change.MONITOR_UPGRADE: "1.7.0",
        Change.MONITOR_OFF: "nvidia",
        Change.NODE_REPAIR: "nodeRepair",
    }
    assert wanted[change] in text


@pytest.mark.parametrize(
    ("change", "values"),
    [
        (Change.MONITOR_OFF, {"nodeAgent": {"monitors": {"nvidia": {"enabled": False}}}}),
        (Change.MONITOR_UPGRADE, {"dcgmAgent": {"tolerations": [{"operator": "Exists"}]}}),
        (Change.NODE_REPAIR, {"settings": {"featureGates": {"nodeRepair": False}}}),
    ],
)
def test_the_values_are_those_of_the_charts(change: Change, values: object) -> None:
    assert yaml.safe_load(told(change, OWNERS[2]).values) == values


def test_on_arm64_the_new_version_alone_is_the_repair() -> None:
    made = told(Change.MONITOR_UPGRADE, OWNERS[0], architecture="arm64")
    assert made.values == ""
    assert not [one for one in made.commands if "configuration-values" in one]
    assert "  --addon-version v1.7.0-eksbuild.1 \\" in made.commands


def test_the_gate_goes_on_again() -> None:
    made = told(Change.NODE_REPAIR, OWNERS[1], value="true")
    assert yaml.safe_load(made.values) == {"settings": {"featureGates": {"nodeRepair": True}}}
    assert "  --set-json 'settings.featureGates.nodeRepair=true' \\" in made.commands


def test_an_addon_is_shown_what_it_was_told_before() -> None:
    lines = told(Change.MONITOR_OFF, OWNERS[0]).commands
    assert lines[:3] == (
        "aws eks describe-addon --cluster-name train-eu \\",
        "  --addon-name eks-node-monitoring-agent \\",
        "  --query addon.configurationValues",
    )
    assert """  '{"nodeAgent":{"monitors":{"nvidia":{"enabled":false}}}}' \\""" in lines


def test_what_is_not_known_is_left_to_be_filled_in() -> None:
    assert "CLUSTER" in told(Change.MONITOR_OFF, OWNERS[0], **{"eks-cluster": ""}).commands[0]
