"""The Xids that the monitor takes for fatal stand in a check and, for the kernel's own lines, in the signatures."""

import re

from bot.adapters.files.knowledge import load_knowledge
from bot.checks.views.hardware import FATAL_XIDS, GPU_HARDWARE_FAULT

ROWS = [one for one in load_knowledge().signatures if one.code == GPU_HARDWARE_FAULT]


def test_the_same_xids_are_fatal_to_both() -> None:
    lines = {xid: f"NVRM: Xid (PCI:0000:01:00): {xid}, pid=1" for xid in range(256)}
    for row in ROWS:
        assert {xid for xid, line in lines.items() if re.search(row.pattern, line)} == FATAL_XIDS


def test_both_logs_of_the_kernel_are_read() -> None:
    assert [one.source for one in ROWS] == ["dmesg", "journal:kernel"]
