"""How long the command line takes to start, and to give one answer, in processes of its own."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

from tests.bench.measure import Row, medians

DUMP = Path(__file__).parent.parent / "scenarios" / "swap-kubelet" / "dump"


def rows() -> list[Row]:
    """Against a Python that does nothing."""
    found = medians(
        {
            "nothing": lambda: _run("-c", "pass"),
            "help": lambda: _run("-m", "bot", "--help"),
            "answer": lambda: _run("-m", "bot", "diagnose", "--from", str(DUMP), "--json", expected=1),
        }
    )
    return [
        Row("python -c pass", found["nothing"], "gpu-autopsy --help", found["help"]),
        Row("python -c pass", found["nothing"], "gpu-autopsy diagnose --from DUMP --json", found["answer"]),
    ]


def peak_mib() -> float:
    """The largest process that was waited for so far, in MiB (`ru_maxrss` is in KiB on Linux)."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def _run(*args: str, expected: int = 0) -> None:
    done = subprocess.run([sys.executable, *args], stdout=subprocess.DEVNULL, check=False)
    assert done.returncode == expected
