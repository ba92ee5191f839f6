"""What is typed next. Axes: whether two people were played already, how the program is started, the language."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bot.entry.demo.onward import next_to_type

HERE = Path.cwd()
DUMP = HERE / "tests" / "scenarios" / "swap-kubelet" / "dump"
OF_TWO = "demo-two-people"
FROM_FILES = "demo-from-files"


@pytest.mark.parametrize(
    ("command", "typed"),
    [
        (Path("gpu-autopsy"), "gpu-autopsy"),
        (HERE / ".venv" / "bin" / "gpu-autopsy", ".venv/bin/gpu-autopsy"),
        (HERE / "my tools" / "gpu-autopsy", "'my tools/gpu-autopsy'"),
    ],
    ids=["on the PATH", "as make starts it", "with a space"],
)
def test_it_can_be_typed_where_the_demo_was_started(command: Path, typed: str) -> None:
    assert dict(next_to_type("swap-kubelet", "", DUMP, command, "en")) == {
        OF_TWO: f"{typed} demo swap-kubelet --option vms",
        FROM_FILES: f"{typed} diagnose --from {os.path.relpath(DUMP)}",
    }


def test_what_was_played_just_now_is_not_named_again() -> None:
    assert [*dict(next_to_type("swap-kubelet", "vms", DUMP, Path("gpu-autopsy"), "en"))] == [FROM_FILES]


def test_it_goes_on_in_the_same_language() -> None:
    typed = dict(next_to_type("replacement-loop", "", DUMP, Path("gpu-autopsy"), "ko"))
    assert all(one.endswith(" --lang ko") for one in typed.values())
