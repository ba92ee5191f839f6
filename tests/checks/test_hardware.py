"""The Xids that the monitor takes for fatal stand in a check and, for the kernel's own lines, in the signatures."""

import re

import pytest

from bot.adapters.files.knowledge import load_knowledge
from bot.checks.views.hardware import FATAL_XIDS, GPU_HARDWARE_FAULT

ROWS = [one for one in load_knowledge().signatures if one.code == GPU_HARDWARE_FAULT]


@pytest.mark.parametrize("xid", range(256))
def test_the_same_xids_are_fatal_to_both(xid: int) -> None:
    line = f"NVRM: Xid (PCI:0000:01:00): {xid}, pid=1"
    assert [bool(re.search(one.pattern, line)) for one in ROWS] == [xid in FATAL_XIDS] * len(ROWS)


def test_both_logs_of_the_kernel_are_read() -> None:
    assert [one.source for one in ROWS] == ["dmesg", "journal:kernel"]
