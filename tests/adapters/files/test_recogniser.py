"""Pastes, with the cluster's nodes in mind. The axes: whose text it is, and whether the nodes are known."""

from datetime import UTC, datetime

import pytest

from bot.adapters.files.recogniser import PasteRecogniser
from bot.model.findings import Reporter

REPORTER = Reporter("<@U0ONCALL>", datetime(2026, 7, 10, 16, 0, tzinfo=UTC))
LINE = "Jul 10 15:39:51 {host} kubelet[812]: E0710 15:39:51.1 812 run.go:72] running with swap on is not supported"


@pytest.mark.parametrize(
    ("host", "nodes", "told", "asked"),
    [
        ("omen2", {"omen2", "hydra"}, ["omen2"], 0),
        ("omen2", set(), ["omen2"], 0),
        ("somebodys-laptop", {"omen2", "hydra"}, [], 1),
    ],
    ids=["a node", "nodes not known", "another machine"],
)
def test_whose_text_it_is(host: str, nodes: set[str], told: list[str], asked: int) -> None:
    found = PasteRecogniser(lambda: nodes).recognise(LINE.format(host=host), REPORTER)
    assert [one.node for one in found.texts] == told
    assert len(found.node_unknown) == asked
    assert {one.reporter for one in (*found.texts, *found.node_unknown)} == {REPORTER}


def test_chatter_is_no_text_of_a_host() -> None:
    found = PasteRecogniser(lambda: {"omen2"}).recognise("I think it is the network", REPORTER)
    assert (found.texts, found.node_unknown) == ((), ())
    assert found.unrecognised == ("I think it is the network",)
