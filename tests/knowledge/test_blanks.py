from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from bot.knowledge.blanks import blanks, fill, moment


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("{name} is down", {"name": "omen2"}, "omen2 is down"),
        ("{value-name}", {"value-name": 3}, "3"),
        ("at {when}", {"when": datetime(2026, 10, 30, 15, 39, 51, tzinfo=UTC)}, "at 2026-10-30 15:39 UTC"),
        ("a missing {blank} stays", {}, "a missing {blank} stays"),
        ("{a}{b}", {"a": "{b}", "b": "x"}, "{b}x"),
        ("{a.__class__} {0} {}", {"a": "x"}, "{a.__class__} {0} {}"),
    ],
    ids=["filled", "hyphen", "moment", "missing", "a value is no blank", "no attributes"],
)
def test_blanks_are_filled_once_and_never_raise(
    text: str, values: dict[str, str | int | datetime], expected: str
) -> None:
    assert fill(text, values) == expected


def test_a_thing_nobody_saw_gets_a_sign_instead_of_the_key() -> None:
    assert fill("{line} of {name}", {"name": "omen2"}, "…") == "… of omen2"


def test_blanks_are_listed() -> None:
    assert blanks("{a} {b-c} {a} {D}") == {"a", "b-c"}


def test_moments_are_told_in_utc() -> None:
    assert moment(datetime(2026, 10, 31, 0, 39, tzinfo=timezone(timedelta(hours=9)))) == "2026-10-30 15:39 UTC"
