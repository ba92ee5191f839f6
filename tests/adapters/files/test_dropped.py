"""Axes: who says which node it is of (name, text, question, nobody), what the text holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.adapters.files.dropped import dropped
from bot.adapters.files.text import UnreadableDump
from tests.support.objects import write

BARE = 'E0710 15:39:51 run.go:72] "command failed" err="swap"'
FULL = f"Nov 30 06:22:36 omen2 kubelet[1]: {BARE}"
NODES = ("omen2", "omen3.lab")


@pytest.mark.parametrize(
    ("file", "line", "nodes", "told", "node", "label"),
    [
        ("omen2_kubelet.log", "any words", NODES, "", "omen2", "journal:kubelet"),
        ("omen3.lab_crio.service.log", "any words", NODES, "", "omen3.lab", "journal:crio"),
        ("omen2_kubelet.log", "any words", (), "", "omen2", "journal:kubelet"),
        ("omen2_k3s-agent.log", "any words", NODES, "", "omen2", "journal:kubelet"),
        ("omen2.txt", BARE, NODES, "", "omen2", "journal:kubelet"),
        ("omen2.txt", "/swapfile none swap sw 0 0", NODES, "", "omen2", "host:/etc/fstab"),
        ("my_paste.txt", FULL, NODES, "", "omen2", "journal:kubelet"),
        ("x.log", FULL, (), "", "omen2", "journal:kubelet"),
        ("x.log", BARE, NODES, "omen3.lab", "omen3.lab", "journal:kubelet"),
        ("x.log", FULL, NODES, "omen3.lab", "omen2", "journal:kubelet"),
    ],
)
def test_the_node_of_a_file(
    tmp_path: Path, file: str, line: str, nodes: tuple[str, ...], told: str, node: str, label: str
) -> None:
    found = dropped(write(tmp_path, file, line), nodes=nodes, told=told)
    assert [(one.node, one.label, one.text) for one in found.texts] == [(node, label, line)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (BARE, "file-of-no-node"),
        (FULL.replace("omen2", "laptop"), "file-of-others laptop"),
        ("hello", "file-not-of-a-host"),
        ("", "file-not-of-a-host"),
    ],
)
def test_a_file_that_is_of_no_use_says_why(tmp_path: Path, line: str, reason: str) -> None:
    path = write(tmp_path, "x.log", line)
    with pytest.raises(UnreadableDump) as told:
        dropped(path, nodes=NODES)
    assert (told.value.values["file"], told.value.why) == (str(path), reason)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableDump, match="No such file"):
        dropped(tmp_path / "x.log")
