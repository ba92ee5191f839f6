"""Axes: what begins an output, which node it is of, what is left out."""

from __future__ import annotations

import pytest

from bot.adapters.files.outputs import outputs_of
from bot.adapters.files.paste import PasteRecogniser
from bot.model.findings import Reporter
from bot.model.hosttext import HostSource, Output

SWAPS, FSTAB, UNITS = HostSource.SWAPS, HostSource.FSTAB, HostSource.UNIT_FILES


def shown(text: str, **known: str) -> list[tuple[str, HostSource | None, tuple[str, ...]]]:
    return [(one.command, one.source, one.lines) for one in outputs_of(text, **known)]


def test_every_line_stands_below_what_it_came_with() -> None:
    text = """hello
root@omen2:~# tail -n +1 /proc/swaps /etc/fstab
==> /proc/swaps <==
Filename  Type  Size  Used  Priority
   what is this?

==> /etc/fstab <==
# cat what
# systemctl what
$ free -m
Swap: 1 0 1
UNIT FILE STATE
root@omen2:~# """
    tail = "tail -n +1 /proc/swaps /etc/fstab"
    assert shown(text) == [
        ("", None, ("hello",)),
        (tail, SWAPS, ("==> /proc/swaps <==", "Filename  Type  Size  Used  Priority", "   what is this?")),
        (tail, FSTAB, ("==> /etc/fstab <==", "# cat what", "# systemctl what", "$ free -m", "Swap: 1 0 1")),
        (tail, UNITS, ("UNIT FILE STATE",)),
        ("", None, ()),
    ]


@pytest.mark.parametrize(
    ("prompt", "command", "source"),
    [
        ("root@omen2:~# cat /proc/swaps", "cat /proc/swaps", SWAPS),
        ("me@laptop:~$ ssh -p 22 root@omen2 cat /proc/swaps", "cat /proc/swaps", SWAPS),
        ("me@laptop:~$ ssh omen2 'sudo cat /etc/fstab'", "sudo cat /etc/fstab", FSTAB),
        ("$ systemctl list-unit-files '*swap*'", "systemctl list-unit-files '*swap*'", UNITS),
        ("root@omen2:~# fuser -v /dev/nvidia*", "fuser -v /dev/nvidia*", HostSource.GPU_PROCESSES),
        ("$ nvidia-smi -L", "nvidia-smi -L", HostSource.GPU_PROCESSES),
        ("root@omen2:~# reboot", "reboot", None),
        ("root@omen2:~# ", "", None),
        ("#", "", None),
        ("sh-5.1# cat /proc/swaps", "cat /proc/swaps", SWAPS),
        ("➜  ~ cat /etc/fstab", "cat /etc/fstab", FSTAB),
        ("➜  src git:(main) ✗ reboot", "reboot", None),
        ("➜  ~", "", None),
        ("me@omen2 ~ % cat /proc/swaps", "cat /proc/swaps", SWAPS),
    ],
)
def test_a_prompt_tells_command_and_source(prompt: str, command: str, source: HostSource | None) -> None:
    assert shown(f"{prompt}\n\nx") == [(command, source, ("x",))]


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("x\nroot@omen2:~# ls\ny", ["omen2", "omen2"]),
        ("x\nroot@omen2:~# ls\ny\nroot@omen3:~# ls", ["", "omen2", "omen3"]),
        ("me@laptop:~$ ls\ny\nme@laptop:~$ ssh omen2 ls", ["omen2", "omen2"]),
        ("me@laptop:~$ ls\ny", ["told"]),
        ("x", ["told"]),
    ],
)
def test_which_node_it_is_of(text: str, nodes: list[str]) -> None:
    found = outputs_of(text, node="told", nodes=("omen2", "omen3"))
    assert [one.node for one in found] == nodes


@pytest.mark.parametrize("text", ["", "\n  \n", "```\n```", "(END)", "lines 1-7/7 (END)", "\x1b[0m"])
def test_decoration_is_no_output(text: str) -> None:
    assert outputs_of(text) == ()


def test_the_recogniser_reads_strictly_under_the_reporters_name() -> None:
    reporter = Reporter("U0ONCALL")
    found = PasteRecogniser(lambda: ("omen2",)).outputs("me@laptop:~$ ls\n> x", reporter)
    assert found == (Output(shell="laptop", command="ls", lines=("x",), reporter=reporter),)
