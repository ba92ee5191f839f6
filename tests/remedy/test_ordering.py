"""Steps that an option leaves out: what stood on both sides of them keeps its order."""

from __future__ import annotations

import msgspec
import pytest

from bot.remedy.ordering import predecessors
from bot.remedy.runbook import Runbook
from tests.support.books import GOOD

STEP = GOOD["steps"][4]


def book(**after: list[str]) -> Runbook:
    steps = [{**STEP, "id": name, "after": before} for name, before in after.items()]
    return msgspec.convert({"name": "x", "roots": ["x"], "steps": steps, "options": []}, Runbook)


CHAIN = book(a=[], b=["a"], c=["b"], d=["c", "a"])


@pytest.mark.parametrize(
    ("left", "step", "before"),
    [
        ("abcd", "d", ("a", "c")),
        ("abcd", "c", ("b",)),
        ("acd", "c", ("a",)),
        ("ad", "d", ("a",)),
        ("cd", "d", ("c",)),
        ("d", "d", ()),
    ],
)
def test_before_a_step_stands_what_is_left_before_it(left: str, step: str, before: tuple[str, ...]) -> None:
    assert predecessors(CHAIN, left, step) == before
