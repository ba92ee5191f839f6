"""The card of a choice and its line. Axes: how often what can be chosen changes, and back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.app.repair.omens import CONTAINERS, DEPLOY, MODE, OMEN2, SANDBOX, Lab
from tests.app.repair.world import JOURNAL
from tests.support.servers import Simulated


@pytest.fixture
def lab(redis_url: str, simulated: Simulated) -> Lab:
    return Lab(redis_url, simulated)


def _labelled_back(lab: Lab) -> None:
    labels: dict[str, Any] = {f"{DEPLOY}{one}": "true" for one in SANDBOX}
    labels |= {f"{DEPLOY}{one}": None for one in CONTAINERS}
    lab.api.merge(OMEN2, {"metadata": {"labels": {MODE: "vm-passthrough", **labels}}})


def test_a_change_that_was_there_before_is_told_like_any_other(lab: Lab) -> None:
    lab.diagnosed()
    for _ in range(2):
        lab.api.merge(OMEN2, {"metadata": {"labels": {MODE: "container"}}})
        lab.operator_reacts()
        lab.paste(JOURNAL)
        _labelled_back(lab)
        lab.paste(JOURNAL)
        lab.paste(JOURNAL)

    told = [one.rpartition(" ")[2] for one in lab.thread() if one.startswith("changed choice")]
    assert told == ["+no-card", "-no-card", "+no-card", "-no-card"]
