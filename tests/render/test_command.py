from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.render.command import command_lines

LONG = "kubectl get nodes -o jsonpath='{range .items[*]}{.metadata.name} {.spec.taints}' -l nvidia.com/gpu.present=true"


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        ("kubectl get nodes", ("kubectl get nodes",)),
        ("", ("",)),
        ("a" * 70 + " b", ("a" * 70 + " \\", "  b")),
        ("  --flag " + "a" * 48 + " \\", ("  --flag \\", "  " + "a" * 48 + " \\")),
        ("  --values b \\", ("  --values b \\",)),
    ],
    ids=["short", "empty", "a long word stays whole", "one of several lines", "it fits"],
)
def test_lines(command: str, lines: tuple[str, ...]) -> None:
    assert command_lines(command, 58) == lines


def test_quotes_are_not_broken() -> None:
    assert any("'{range .items[*]}{.metadata.name} {.spec.taints}'" in line for line in command_lines(LONG, 58))


WORD = st.from_regex(r"[a-z./=-]{1,30}|'[a-z ]{0,30}'|\"[a-z ]{0,30}\"|[a-z]\\ [a-z]", fullmatch=True)


@given(st.lists(WORD, min_size=1, max_size=12), st.integers(10, 80))
def test_a_shell_reads_the_lines_as_the_command(words: list[str], width: int) -> None:
    command = " ".join(words)
    lines = command_lines(command, width)
    assert shlex.split("\n".join(lines).replace("\\\n", "")) == shlex.split(command)
    assert all(len(line) <= width or len(line.split(" ", 3)) <= 4 or "'" in line or '"' in line for line in lines)
