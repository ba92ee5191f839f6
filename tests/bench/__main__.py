"""Prints the benchmark: what takes how long, and how many times longer the other takes in the same run."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from tests.bench import diagnosing, reading, starting
from tests.bench.measure import Row


def main() -> None:
    """Measure and print; the processes go first, before this one grows."""
    _print(starting.rows())
    sys.stdout.write(f"peak memory of one answer from files: {starting.peak_mib():.0f} MiB\n")
    _print(reading.rows())
    _print(diagnosing.rows())


def _print(rows: Iterable[Row]) -> None:
    for row in rows:
        sys.stdout.write(
            f"{row.what}: {row.seconds:.3f} s; {row.other}: {row.other_seconds:.3f} s = {row.ratio:.1f}x\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
