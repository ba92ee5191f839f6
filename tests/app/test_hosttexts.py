"""Axes: the host's name against the node's, boots told apart or not."""

from __future__ import annotations

import pytest

from bot.app.hosttexts import current
from bot.model.hosttext import HostSource, HostText

NODES = ("omen2.lab", "omen3", "twin.a", "twin.b")


def text(node: str, boot: str = "", words: str = "x", unit: str = "kubelet") -> HostText:
    return HostText(node=node, source=HostSource.JOURNAL, unit=unit, boot=boot, text=words)


@pytest.mark.parametrize(
    ("host", "node"),
    [("omen2", "omen2.lab"), ("omen2.lab", "omen2.lab"), ("omen3.lab", "omen3"), ("twin", "twin"), ("gone", "gone")],
)
def test_a_host_is_given_its_nodes_name_where_only_one_fits(host: str, node: str) -> None:
    assert [one.node for one in current([text(host)], NODES)] == [node]


def test_only_the_newest_boot_is_evidence() -> None:
    texts = [text("omen3", "a", "old"), text("omen3", "b", "new"), text("omen3", "b", "newer")]
    assert [one.text for one in current(texts, NODES)] == ["new", "newer"]


def test_boots_of_other_units_and_nodes_and_texts_without_one_stay() -> None:
    texts = [text("omen3", "a", unit="k3s"), text("omen2", "a"), text("omen3", "b"), text("omen3")]
    assert [one.boot for one in current(texts, NODES)] == ["a", "a", "b", ""]


def test_a_boot_that_is_over_is_no_evidence() -> None:
    assert [one.text for one in current([text("omen3", "ended", "old"), text("omen3", "", "new")], NODES)] == ["new"]
