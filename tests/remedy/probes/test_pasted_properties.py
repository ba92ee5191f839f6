"""Nothing that shows the danger, in whatever shape, and nothing that is not understood ever attests a step.

The axes of a row: what lies between its columns, quotes, a bullet, where it is wrapped, where it is cut off, what
stands behind it; and where in the paste it stands.
"""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.remedy.runbook import Probe
from tests.remedy.probes.pasting import ACTIVE, NO_CUDA, WHOLE, told

PASTES = {Probe.SWAP_OFF: WHOLE, Probe.KUBELET_ACTIVE: ACTIVE, Probe.CUDA_STOPPED: NO_CUDA}
#: The columns of rows that show the danger.
DANGER = {
    Probe.SWAP_OFF: (
        ("/swapfile", "file", "33554428", "0", "-2"),
        ("/swap\\040file", "file", "33554428", "120", "-2"),
        ("/dev/zram0", "partition", "16777212", "0", "100"),
        ("/swapfile", "file", "31,9G", "0B", "-2"),
        ("/swapfile", "none", "swap", "sw", "0", "0"),
        ("UUID=12-34", "none", "swap", "defaults"),
        ("/dev/mapper/vg-swap", "swap", "swap"),
        ("swapfile.swap", "generated", "-"),
        ("zramswap.service", "enabled", "enabled"),
    ),
    Probe.KUBELET_ACTIVE: (("activating",), ("failed",), ("inactive",), ("Active:", "activating", "(auto-restart)")),
    Probe.CUDA_STOPPED: (
        ("4242,", "python"),
        ("4242", "python", "20000 MiB"),
        ("[Not Supported],", "python"),
        ("/dev/nvidia0:", "root", "4242", "F...m", "python"),
        ("|", "0", "N/A", "N/A", "4242", "C", "python", "20000MiB", "|"),
    ),
}
BETWEEN = st.sampled_from(["  ", "\t\t", " ", ",", ", ", ";", " | ", "\N{NO-BREAK SPACE}", "\x1b[31m \x1b[0m"])
QUOTES = st.sampled_from(["", "'", '"', "`", "\N{LEFT DOUBLE QUOTATION MARK}"])
BULLETS = st.sampled_from(["", "", "  ", "- ", "* ", "\N{BULLET} ", "> ", "1. ", "1:", "12  ", "| ", "+", "x "])
BEHIND = st.sampled_from(["", "", " #", "  <-- still there!", "\\", " |"])


@st.composite
def shapes(draw: st.DrawFn, probe: Probe) -> str:
    columns = list(draw(st.sampled_from(DANGER[probe])))
    between, quote = draw(BETWEEN), draw(QUOTES)
    joints = [between] * (len(columns) - 1)
    if joints and draw(st.booleans()):
        joints[draw(st.integers(0, len(joints) - 1))] = "\n"
    row = "".join(f"{quote}{column}{quote}{joint}" for column, joint in zip(columns, [*joints, ""], strict=True))
    row = row[: draw(st.integers(1, len(row)))] if draw(st.booleans()) else row
    return draw(BULLETS) + row + draw(BEHIND)


def inserted(paste: str, lines: str, place: int) -> str:
    """The paste with these lines somewhere below its first prompt."""
    all_lines = paste.split("\n")
    place = 1 + place % (len(all_lines) - 1)
    return "\n".join([*all_lines[:place], lines, *all_lines[place:]])


@settings(deadline=None)
@given(st.data(), st.sampled_from(sorted(PASTES)), st.integers(0, 99))
def test_no_shape_of_a_row_that_shows_the_danger_attests(data: st.DataObject, probe: Probe, place: int) -> None:
    shape = data.draw(shapes(probe))
    assert not told(probe, inserted(PASTES[probe], shape, place)).holds


@settings(deadline=None)
@given(st.data())
def test_no_shape_of_another_state_stands_for_active(data: st.DataObject) -> None:
    shape = data.draw(shapes(Probe.KUBELET_ACTIVE))
    assert not told(Probe.KUBELET_ACTIVE, ACTIVE.replace("\nactive", f"\n{shape}")).holds


WORDS = (
    "/swapfile /dev/sda1 none swap file partition ext4 sw 0 -2 pid, 4242, active enabled masked listed. unit files # "
    "$ | ==> <== swap.target zram.service Filename Type UNIT FILE STATE /proc/swaps /etc/fstab hello"
)
LINES = st.text(min_size=1, max_size=40) | st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=7).map(
    " ".join
)


def is_understood(line: str) -> bool:
    """What may stand in a good paste: a prompt that waits, a comment or a mount of fstab, a head once more."""
    fields = line.split()
    is_mount = len(fields) >= 4 and fields[1].startswith("/") and not {"swap", "none"} & set(fields[2:4])
    return bool(re.match(r"\s*#|[$%]\s*$", line)) or is_mount or " ".join(fields) in ("UNIT FILE STATE",)


@settings(deadline=None)
@given(st.sampled_from(sorted(PASTES)), LINES, st.integers(0, 99))
def test_a_line_that_nobody_understands_never_stands_in_a_good_paste(probe: Probe, line: str, place: int) -> None:
    pieces = [one for one in line.splitlines() if one.strip()]
    if not all(map(is_understood, pieces)):
        assert not told(probe, inserted(PASTES[probe], line, place)).holds


def test_each_paste_is_good_without_any_of_that() -> None:
    assert all(told(probe, paste).holds for probe, paste in PASTES.items())
