"""How things are measured: the median of some runs that are taken in turns, so that noise meets all alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

RUNS = 3


class Row(NamedTuple):
    """A line of the result; `ratio` is how many times longer the other one takes."""

    what: str
    seconds: float
    other: str
    other_seconds: float

    @property
    def ratio(self) -> float:
        return self.other_seconds / self.seconds


def medians(candidates: Mapping[str, Callable[[], object]], runs: int = RUNS) -> dict[str, float]:
    """Seconds by name; the first, unmeasured round warms everything up."""
    taken: dict[str, list[float]] = {name: [] for name in candidates}
    for round_ in range(runs + 1):
        for name, run in candidates.items():
            begin = time.perf_counter()
            run()
            if round_:
                taken[name].append(time.perf_counter() - begin)
    return {name: statistics.median(seconds) for name, seconds in taken.items()}
