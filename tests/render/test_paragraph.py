"""Axes: width, margins, words that are too long, commands with and without a note."""

from __future__ import annotations

import io

import pytest
from rich.console import Console, RenderableType
from rich.text import Text

from bot.render.paragraph import Command, Paragraph


def printed(what: RenderableType, width: int) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=width).print(what)
    return out.getvalue().splitlines()


def test_other_lines_hang_below_the_first_without_spaces_at_their_ends() -> None:
    assert printed(Paragraph(Text("one two three four five six"), "• ", "  "), 26) == [
        "• one two three four five",
        "  six",
    ]


def test_korean_takes_two_columns_a_sign() -> None:
    assert printed(Paragraph(Text("가나다라마바사 아자차카타파하")), 24) == ["가나다라마바사", "아자차카타파하"]


def test_a_long_word_is_folded_not_cut() -> None:
    assert "".join(printed(Paragraph(Text("x" * 70)), 30)) == "x" * 70


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (60, ["    ssh omen1 uptime  # likewise omen3"]),
        (30, ["    ssh omen1 uptime", "    # likewise omen3"]),
    ],
)
def test_a_note_stands_behind_the_command_or_below_it(width: int, lines: list[str]) -> None:
    assert printed(Command("ssh omen1 uptime", "    ", "likewise omen3"), width) == lines


def test_a_command_breaks_where_a_shell_goes_on() -> None:
    assert printed(Command("kubectl get nodes -l a=b -o yaml", "  "), 30) == [
        "  kubectl get nodes -l a=b \\",
        "    -o yaml",
    ]
