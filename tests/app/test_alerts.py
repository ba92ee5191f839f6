"""Axes: which exporter wrote the labels; what stands in a text; which firing it is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.app.alerts import firing_id, named_by, names_in, tells_an_end
from bot.app.requests import Alert


def alert(**labels: str) -> Alert:
    return Alert(firing=True, labels=labels)


@pytest.mark.parametrize(
    ("labels", "refs", "guesses"),
    [
        ({"node": "omen2"}, ["node/omen2"], []),
        ({"exported_node": "omen2", "instance": "ksm:8080"}, ["node/omen2"], ["ksm"]),
        ({"nodename": "omen2"}, ["node/omen2"], []),
        ({"instance": "omen2:9100"}, [], ["omen2"]),
        ({"instance": "10.0.0.7:9100"}, [], []),
        ({"instance": "[fd00::7]:9100"}, [], []),
        ({"instance": "omen2"}, [], ["omen2"]),
        ({"namespace": "vms", "pod": "virt-launcher-x"}, ["pod/vms/virt-launcher-x"], []),
        (
            {"Hostname": "omen2", "namespace": "gpu-operator", "pod": "nvidia-dcgm-exporter-x"},
            ["node/omen2"],
            [],
        ),
        (
            {"namespace": "gpu-operator", "pod": "exporter", "exported_namespace": "ml", "exported_pod": "train-0"},
            ["pod/ml/train-0"],
            [],
        ),
        ({"namespace": "vms", "name": "gpu-fedora"}, [], ["gpu-fedora"]),
        ({"namespace": "vms", "vm": "gpu-fedora"}, ["vm/vms/gpu-fedora"], []),
        ({"namespace": "ml", "deployment": "serve"}, ["deploy/ml/serve"], []),
        ({"namespace": "ml", "job_name": "train", "job": "kube-state-metrics"}, ["job/ml/train"], []),
        ({"nodepool": "gpu", "node_name": "ip-10-0-0-1"}, ["node/ip-10-0-0-1", "nodepool/gpu"], []),
        ({"pod": "no-namespace"}, [], []),
        ({"node": "", "alertname": "Watchdog"}, [], []),
    ],
)
def test_labels_name_objects(labels: dict[str, str], refs: list[str], guesses: list[str]) -> None:
    named = named_by([alert(**labels)])

    assert ([str(one) for one in named.refs], list(named.guesses)) == (refs, guesses)


def test_alerts_of_a_group_name_each_object_once() -> None:
    named = named_by([alert(node="omen2"), alert(node="omen3"), alert(node="omen2")])

    assert [str(one) for one in named.refs] == ["node/omen2", "node/omen3"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("[FIRING:1] KubeNodeNotReady omen2 is down", ["omen2", "is", "down"]),
        ("node=omen2 instance=omen2:9100", ["omen2", "instance"]),
        (
            "see https://grafana.example/d/x?node=ip-10-0-0-1.ec2.internal.",
            ["grafana.example", "ip-10-0-0-1.ec2.internal"],
        ),
        ("vms/gpu-fedora `gpu-fedora`", ["gpu-fedora", "vms"]),
        ("NODE OMEN2 2026 -- ...", []),
        ("", []),
    ],
)
def test_names_stand_in_a_text(text: str, names: list[str]) -> None:
    assert [one for one in names_in(text) if one in names] == names
    assert not {"node", "KubeNodeNotReady", "9100", "2026", "omen"} & set(names_in(text))


def test_only_so_many_words_are_looked_up_the_likely_ones_first() -> None:
    words = names_in("words " + " ".join(f"w{'x' * number}" for number in range(60)) + " omen2")

    assert len(words) == 30
    assert words[0] == "omen2"


@pytest.mark.parametrize(
    ("first", "second", "is_same"),
    [
        (Alert(firing=True, labels={}, fingerprint="f1"), Alert(firing=False, labels={}, fingerprint="f1"), True),
        (Alert(firing=True, labels={}, fingerprint="f1"), Alert(firing=True, labels={}, fingerprint="f2"), False),
        (
            Alert(firing=True, labels={}, fingerprint="f1", starts_at=datetime(2026, 7, 10, tzinfo=UTC)),
            Alert(firing=True, labels={}, fingerprint="f1", starts_at=datetime(2026, 7, 11, tzinfo=UTC)),
            False,
        ),
        (alert(node="a", job="x"), alert(job="x", node="a"), True),
        (alert(node="a"), alert(node="b"), False),
    ],
)
def test_a_firing_is_told_by_its_alert_and_since_when(first: Alert, second: Alert, is_same: bool) -> None:
    assert (firing_id(first) == firing_id(second)) is is_same


@pytest.mark.parametrize(
    ("text", "is_end"),
    [("[RESOLVED] KubeNodeNotReady", True), ("[FIRING:1] KubeNodeNotReady", False), ("unresolved", False)],
)
def test_an_end_is_told_as_alertmanager_titles_it(text: str, is_end: bool) -> None:
    assert tells_an_end(text) is is_end
