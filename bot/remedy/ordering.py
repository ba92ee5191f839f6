"""The order of a runbook's steps inside one option."""

from __future__ import annotations

from bot.remedy.runbook import Option, Runbook


def predecessors(runbook: Runbook, option: Option, step_id: str) -> tuple[str, ...]:
    """The steps of the option that come before this one; through those that the option leaves out to their own.

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
        if here in option.steps:
            found.add(here)
        else:
            waiting += runbook.step(here).after
    return tuple(one for one in option.steps if one in found)
