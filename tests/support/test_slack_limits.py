"""The fake Slack can refuse: each limit holds at its figure and breaks one beyond it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.slack_limits import broken


def text(length: int, kind: str = "mrkdwn") -> dict[str, str]:
    return {"type": kind, "text": "x" * length}


def section(length: int = 1, **more: Any) -> dict[str, Any]:
    return {"type": "section", "text": text(length)} | more


def button(number: int = 1, label: int = 1, value: int = 1) -> dict[str, Any]:
    words = text(label, "plain_text")
    return {"type": "button", "text": words, "value": "v" * value, "action_id": f"a{number}"}


LIMITS: list[tuple[str, Callable[[int], list[dict[str, Any]]], int]] = [
    ("blocks", lambda count: [section()] * count, 50),
    ("section", lambda length: [section(length)], 3000),
    ("fields", lambda count: [{"type": "section", "fields": [text(1)] * count}], 10),
    ("field", lambda length: [{"type": "section", "fields": [text(length)]}], 2000),
    ("header", lambda length: [{"type": "header", "text": text(length, "plain_text")}], 150),
    ("context", lambda count: [{"type": "context", "elements": [text(1)] * count}], 10),
    ("actions", lambda count: [{"type": "actions", "elements": [button(number) for number in range(count)]}], 25),
    ("button", lambda length: [{"type": "actions", "elements": [button(label=length)]}], 75),
    ("value", lambda length: [{"type": "actions", "elements": [button(value=length)]}], 2000),
    ("block_id", lambda length: [section(block_id="b" * length)], 255),
    ("markdown", lambda length: [{"type": "markdown", "text": "x" * (length // 2)}] * 2, 12_000),
]


@pytest.mark.parametrize(("name", "make", "most"), LIMITS, ids=[name for name, _, _ in LIMITS])
def test_each_limit_holds_at_its_figure_and_not_beyond(
    name: str, make: Callable[[int], list[dict[str, Any]]], most: int
) -> None:
    assert broken(make(most)) == []
    assert broken(make(most + 2)) != []


@pytest.mark.parametrize(
    "block",
    [
        {"type": "unknown"},
        {"type": "section"},
        {"type": "section", "text": text(0)},
        {"type": "header", "text": text(1)},
        {"type": "actions", "elements": []},
        {"type": "actions", "elements": [button(1), button(1)]},
        {"type": "actions", "elements": [button() | {"style": "default"}]},
        {"type": "image", "image_url": "https://x.example/a.png"},
    ],
)
def test_what_slack_does_not_know_or_take_is_refused(block: dict[str, Any]) -> None:
    assert broken([block]) != []
