from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.render.visible import clipped, visible


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\u202eb", "a\\u202eb"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("two\nlines\n", "two ⏎ lines"),
        ("win\r\ndows", "win ⏎ dows"),
        ("over\rwritten", "over\\x0dwritten"),
        ("tab\tstop", "tab stop"),
        ("\U000e0041tag", "\\ue0041tag"),
        ("스왑이 켜져 있음", "스왑이 켜져 있음"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(text: str, expected: str) -> None:
    assert visible(text) == expected


@given(st.text())
def test_nothing_hidden_is_left_and_twice_is_once(text: str) -> None:
    shown = visible(text)
    assert not {unicodedata.category(char) for char in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert visible(shown) == shown


def test_clipped_text_says_so() -> None:
    assert (clipped("abcdef", 4), clipped("abcd", 4)) == ("abc…", "abcd")
