"""How to go on once a rehearsal is through: what to type next."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from bot.entry.demo.scripts import TWO_PEOPLE
from bot.entry.diagnose import Language


def next_to_type(scenario: str, option: str, dump: Path, command: Path, lang: str) -> Iterator[tuple[str, str]]:
    """The option with a step of two people, unless it was played, and the same answer from files.

    Args:
        scenario: what was played.
        option: what was asked for, empty if nothing was.
        dump: the folder of the scenario's files.
        command: what starts this program: its name, or the whole way to it.
        lang: in which it was played.

    Yields:
        The reason of the catalogue that tells of it, and what to type where this process was started.
    """
    same = () if lang == Language.EN else ("--lang", lang)
    if option != (wanted := TWO_PEOPLE[scenario]):
        yield "demo-two-people", _typed(command, "demo", scenario, "--option", wanted, *same)
    yield "demo-from-files", _typed(command, "diagnose", "--from", os.path.relpath(dump), *same)


def _typed(command: Path, *words: str) -> str:
    return shlex.join((os.path.relpath(command) if command.is_absolute() else str(command), *words))
