"""Probes of workloads: rolled out, their environment, gone; what is not so yet, what could not be read."""

from __future__ import annotations

from typing import Any

import pytest

from bot.model.objects import DaemonSet, Deployment, ObjectMeta, Pod
from bot.model.refs import Ref
from bot.model.sections import Section, UnreadableObject
from bot.remedy.probes import Answer
from bot.remedy.runbook import Probe
from tests.remedy.probes.asking import FAILED, asked
from tests.remedy.probes.workloads import AGENT, KARPENTER, POOL, daemonset, deployment
from tests.support.replacement import cluster


@pytest.mark.parametrize(
    ("thing", "answer", "why"),
    [
        (daemonset(), Answer.HOLDS, "repair-rolled-out"),
        (daemonset(generation=3), Answer.NOT_YET, "repair-rollout-runs"),
        (daemonset(updated=2), Answer.NOT_YET, "repair-rollout-runs"),
        (daemonset(is_ready=2), Answer.NOT_YET, "repair-rollout-runs"),
    ],
)
def test_a_daemonset_is_rolled_out(thing: DaemonSet, answer: Answer, why: str) -> None:
    said = asked(Probe.ROLLED_OUT, cluster(daemonsets=(thing,)), AGENT)
    assert (said.answer, said.why) == (answer, why)


@pytest.mark.parametrize(
    ("thing", "held"),
    [
        (deployment(), True),
        (deployment(generation=3), False),
        (deployment(pods=(2, 1, 2)), False),
        (deployment(pods=(3, 2, 2)), False),
        (deployment(pods=(2, 2, 1)), False),
    ],
    ids=["all", "not noticed", "old pods", "an old one left", "not available"],
)
def test_a_deployment_is_rolled_out(thing: Deployment, held: bool) -> None:
    assert asked(Probe.ROLLED_OUT, cluster(deployments=(thing,)), POOL, object=str(KARPENTER)).holds == held


@pytest.mark.parametrize(("image", "held"), [("agent:1.5", False), ("agent:1.6", True)])
def test_an_upgrade_shows_another_image(image: str, held: bool) -> None:
    picture = cluster(daemonsets=(daemonset(image=image),))
    assert asked(Probe.ROLLED_OUT, picture, AGENT, image_was="agent:1.5").holds == held


@pytest.mark.parametrize(
    ("sections", "target", "answer", "why"),
    [
        ({"daemonsets": FAILED}, AGENT, Answer.CANNOT_TELL, "section-failed"),
        ({"daemonsets": ()}, AGENT, Answer.NOT_YET, "repair-object-gone"),
        ({}, POOL, Answer.CANNOT_TELL, "repair-probe-malformed"),
    ],
)
def test_a_rollout_that_cannot_be_seen(sections: dict[str, Any], target: Ref, answer: Answer, why: str) -> None:
    said = asked(Probe.ROLLED_OUT, cluster(**sections), target)
    assert (said.answer, said.why) == (answer, why)


@pytest.mark.parametrize(
    ("thing", "params", "held"),
    [
        (deployment(), {"value": "NodeRepair=true,Other=false"}, True),
        (deployment(), {"value": "NodeRepair=false,Other=false"}, False),
        (deployment("Other=false, NodeRepair=false"), {"contains": "NodeRepair=false"}, True),
        (deployment(), {"contains": "NodeRepair=false"}, False),
        (deployment("XNodeRepair=false"), {"contains": "NodeRepair=false"}, False),
        (
            deployment("NodeRepair=false", args=("--feature-gates=NodeRepair=true",)),
            {"contains": "NodeRepair=false"},
            False,
        ),
        (deployment(None), {"contains": "NodeRepair=false"}, False),
        (deployment(), {"value": "NodeRepair=true,Other=false", "container": "controller"}, True),
        (deployment(), {"value": "NodeRepair=true,Other=false", "container": "other"}, False),
    ],
    ids=["exact", "exact other", "part", "other part", "only the end", "a flag wins", "absent", "container", "another"],
)
def test_environment(thing: Deployment, params: dict[str, str], held: bool) -> None:
    said = asked(Probe.ENV_IS, cluster(deployments=(thing,)), KARPENTER, name="FEATURE_GATES", **params)
    assert said.answer is (Answer.HOLDS if held else Answer.NOT_YET)
    assert said.evidence


@pytest.mark.parametrize("params", [{"name": "FEATURE_GATES"}, {"value": "x"}])
def test_an_environment_is_asked_for_wholly(params: dict[str, str]) -> None:
    said = asked(Probe.ENV_IS, cluster(deployments=(deployment(),)), KARPENTER, **params)
    assert said.why == "repair-probe-malformed"


def running(name: str = "agent-1", uid: str = "uid-1") -> Pod:
    return Pod(kind="Pod", metadata=ObjectMeta(name=name, namespace="kube-system", uid=uid))


VICTIM = Ref("pod", "agent-1", "kube-system")


@pytest.mark.parametrize(
    ("sections", "uid", "answer"),
    [
        ({"pods": ()}, "uid-1", Answer.HOLDS),
        ({"pods": (running(),)}, "uid-1", Answer.NOT_YET),
        ({"pods": (running(uid="uid-2"),)}, "uid-1", Answer.HOLDS),
        ({"pods": (running(uid="uid-2"),)}, "", Answer.NOT_YET),
        ({"pods": FAILED}, "uid-1", Answer.CANNOT_TELL),
        ({"pods": (), "gaps": {Section.PODS: FAILED}}, "uid-1", Answer.CANNOT_TELL),
        (
            {"pods": (), "unreadable": (UnreadableObject(Section.PODS, "agent-1", "kube-system"),)},
            "uid-1",
            Answer.CANNOT_TELL,
        ),
    ],
    ids=["gone", "there", "its successor", "by name", "unread", "in part", "unreadable"],
)
def test_a_pod_is_gone_by_its_uid(sections: dict[str, Any], uid: str, answer: Answer) -> None:
    assert asked(Probe.POD_GONE, cluster(**sections), VICTIM, uid=uid).answer is answer
