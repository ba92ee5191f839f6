"""What can be pressed in Slack, the commands of the terminal, and the table that tells of both agree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from bot.adapters.terminal.poster import COMMANDS
from bot.app.requests import PressKind
from bot.entry.cli import app
from bot.entry.slack.words import Order, parse
from bot.model.cards import ButtonKind
from bot.render.slack.plan import ACTION

PAGE = (Path(__file__).parents[2] / "docs" / "repair.md").read_text(encoding="utf-8")
ROWS = [
    (slack, command.split())
    for slack, command in re.findall(
        r"^\| (.+?) \| `gpu-autopsy (.+?)` \| .+ \|$", PAGE.partition("## When Slack is down")[2], re.M
    )
]
#: The buttons that say in Slack what is one word of the queue with two values.
RESOLVES = {ButtonKind.HAPPENED, ButtonKind.DID_NOT}
#: What a veto does in Slack: to give a plan up.
ONLY_HERE = {PressKind.ABORT}


def of_button(kind: ButtonKind) -> list[list[str]]:
    return [command for slack, command in ROWS if slack.endswith(f"`{ACTION}:{kind.value}`")]


def shape(command: list[str]) -> list[str]:
    """The command with one name for whatever is filled in."""
    return ["X" if one.isupper() else one for one in command]


@pytest.mark.parametrize("kind", ButtonKind)
def test_every_button_of_slack_has_one_row_with_the_command_that_its_card_names(kind: ButtonKind) -> None:
    named = COMMANDS[kind].format(plan="X", part="X").split()
    assert [shape(["gpu-autopsy", *one]) for one in of_button(kind)] == [shape(named)]


def test_no_row_is_left_of_a_button_that_is_gone() -> None:
    told = [one for slack, _ in ROWS for one in re.findall(rf"`{ACTION}:([a-z-]+)`", slack)]
    assert sorted(told) == sorted(ButtonKind)


def test_every_order_of_slack_has_its_command_and_nothing_that_is_asked_lacks_both() -> None:
    asked = {parse(slack.removeprefix("`/autopsy ").rstrip("`")): command for slack, command in ROWS if "/aut" in slack}
    orders = {one.kind: command[0] for one, command in asked.items() if isinstance(one, Order)}
    assert orders == {kind: kind.value for kind in orders}
    buttons = {PressKind(one.value) for one in set(ButtonKind) - RESOLVES - {ButtonKind.DETAILS}}
    assert {*orders, *buttons, PressKind.RESOLVE} == set(PressKind) - {PressKind.UNKNOWN} - ONLY_HERE
    assert {PressKind(command[0]) for slack, command in ROWS if slack.startswith("*Deny*, or")} == ONLY_HERE


@pytest.mark.parametrize("command", [command for _, command in ROWS], ids=" ".join)
def test_the_command_line_takes_what_the_table_says(command: list[str]) -> None:
    name, *arguments = command
    with typer.main.get_command(app).commands[name].make_context(name, arguments) as context:  # type: ignore[attr-defined]
        assert context.params


def test_every_command_of_the_terminal_is_told() -> None:
    ours = [one for one in app.registered_commands if (one.callback.__module__).startswith("bot.entry.terminal.")]
    names = {one.name or one.callback.__name__.replace("_", "-") for one in ours}
    assert names == {command[0] for _, command in ROWS} - {"diagnose"}
