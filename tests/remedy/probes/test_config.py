"""Axes: what stands in the ConfigMap, in which form; whether it is mounted, there, read."""

from __future__ import annotations

import pytest

from bot.model.objects import ConfigMap, ObjectMeta
from bot.model.refs import Ref
from bot.remedy.probes import Answer, configmaps_of
from bot.remedy.runbook import Probe, ProbeCall
from tests.remedy.probes.asking import FAILED, asked
from tests.remedy.probes.workloads import AGENT, CONFIG, daemonset
from tests.support.replacement import cluster


def config(data: str, key: str = "config.yaml", name: str = CONFIG.name) -> ConfigMap:
    return ConfigMap(kind="ConfigMap", metadata=ObjectMeta(name=name, namespace="kube-system"), data={key: data})


OFF = {"key": "config.yaml", "path": "monitors.nvidia.enabled", "value": "false"}


@pytest.mark.parametrize(
    ("configmaps", "answer", "why"),
    [
        ((config("monitors: {nvidia: {enabled: false}}"),), Answer.HOLDS, "repair-sees"),
        ((config("monitors: {nvidia: {enabled: true}}"),), Answer.NOT_YET, "repair-sees-other"),
        ((config("monitors: {nvidia: {enabled: 'false'}}"),), Answer.HOLDS, "repair-sees"),
        ((config("monitors: {}"),), Answer.NOT_YET, "repair-sees-other"),
        ((config("[]"),), Answer.NOT_YET, "repair-sees-other"),
        ((config("a: [b"),), Answer.CANNOT_TELL, "repair-value-unreadable"),
        ((config("x", key="other"),), Answer.NOT_YET, "repair-sees-other"),
        ((), Answer.NOT_YET, "repair-object-gone"),
        (FAILED, Answer.CANNOT_TELL, "section-failed"),
    ],
)
def test_a_value_of_a_configmap(configmaps: object, answer: Answer, why: str) -> None:
    said = asked(Probe.CONFIG_IS, cluster(configmaps=configmaps), CONFIG, **OFF)
    assert (said.answer, said.why) == (answer, why)


def test_configmaps_are_not_collected_unless_somebody_does() -> None:
    assert asked(Probe.CONFIG_IS, cluster(), CONFIG, **OFF).answer is Answer.CANNOT_TELL


def test_a_whole_value_is_compared_as_text() -> None:
    picture = cluster(configmaps=(config("on\n"),))
    assert asked(Probe.CONFIG_IS, picture, CONFIG, key="config.yaml", value="on").holds
    assert not asked(Probe.CONFIG_IS, picture, CONFIG, key="config.yaml", value="off").holds


@pytest.mark.parametrize(
    ("mounts", "answer", "why"),
    [
        (CONFIG.name, Answer.HOLDS, "repair-sees"),
        ("other", Answer.NOT_YET, "repair-object-gone"),
        ("", Answer.NOT_YET, "repair-config-not-mounted"),
    ],
)
def test_a_configmap_counts_where_it_is_mounted(mounts: str, answer: Answer, why: str) -> None:
    picture = cluster(
        configmaps=(config("monitors: {nvidia: {enabled: false}}"),), daemonsets=(daemonset(mounts=mounts),)
    )
    said = asked(Probe.CONFIG_IS, picture, CONFIG, daemonset=str(AGENT), **OFF)
    assert (said.answer, said.why) == (answer, why)


def test_which_configmaps_are_to_be_read_is_told() -> None:
    picture = cluster(daemonsets=(daemonset(mounts="mounted"),))
    call = ProbeCall(probe=Probe.CONFIG_IS, params={"daemonset": str(AGENT)})
    assert configmaps_of(picture, call, CONFIG) == (Ref("configmap", "mounted", "kube-system"),)
    assert configmaps_of(picture, ProbeCall(probe=Probe.CONFIG_IS), CONFIG) == (CONFIG,)
