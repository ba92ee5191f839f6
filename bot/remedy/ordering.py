"""The order of a runbook's steps inside one option."""

from __future__ import annotations

from collections.abc import Sequence

from bot.remedy.runbook import Runbook


def predecessors(runbook: Runbook, steps: Sequence[str], step_id: str) -> tuple[str, ...]:
    """Which of these steps of an option come before this one; through those that are left out to their own.

    So leaving a step out never loosens what stands on both sides of it. In the option's order.
    """
    found: set[str] = set()
    seen: set[str] = set()
    waiting = list(runbook.step(step_id).after)
    while waiting:
        here = waiting.pop()
        if here in seen:
            continue
        seen.add(here)
        if here in steps:
            found.add(here)
        else:
            waiting += runbook.step(here).after
    return tuple(one for one in steps if one in found)
