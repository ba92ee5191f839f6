"""A card of a repair in a terminal: what can be pressed is readable, people and times are plain."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from bot.adapters.files.knowledge import load_words
from bot.adapters.terminal.poster import TerminalPoster, plain
from bot.model.incident import Place
from bot.model.message import Message
from tests.support.cards import INCIDENT, cards, plan


def shown(message: Message) -> list[str]:
    console = Console(file=StringIO(), width=120, force_terminal=False)
    TerminalPoster(console, load_words("en")).post(Place("C0ALERTS"), message)
    assert isinstance(console.file, StringIO)
    return [line.strip("│ ") for line in console.file.getvalue().splitlines()]


def test_what_can_be_pressed_stands_line_by_line() -> None:
    lines = shown(cards().step(plan(), "guard-card", INCIDENT))
    assert lines[-4:-1] == [
        "[ Approve step 1: label omen2 ]",
        "[ Deny step 1: label omen2 ]",
        "[ Details of step 1 ]",
    ]


def test_people_and_times_are_plain() -> None:
    lines = shown(cards().step(plan(), "guard-card", INCIDENT))
    assert lines[1] == "@U0FIRST @U0SECOND · WAITING FOR APPROVAL · lab · node/omen2"
    assert "2026-10-30 16:15 UTC" in lines
    assert not any("<" in line for line in lines)


def test_commands_stand_as_they_are_copied() -> None:
    lines = shown(cards().step(plan(dry=True), "guard-card", INCIDENT))
    assert any(line.startswith("kubectl label node omen2") for line in lines)


@pytest.mark.parametrize("written", ["```systemctl list-units '*swap*' '*zram*'```", "`ls '*swap*' '*zram*'`"])
def test_the_stars_of_a_command_stay(written: str) -> None:
    assert plain(f"*Command* {written} *then*") == f"Command {written.replace('```', '')} then"


def test_bold_code_loses_only_the_stars_around_it() -> None:
    assert plain("*the unit `*swap*`* of *a node*") == "the unit `*swap*` of a node"
