"""Which incidents somebody has to look at: the open ones, and those of which a plan is not over."""

from __future__ import annotations

from collections.abc import Iterable

from bot.app.ports import Incidents
from bot.model.incident import Incident
from bot.remedy.plan import Plan


def unresolved(incidents: Incidents, plans: Iterable[Plan]) -> tuple[Incident, ...]:
    """They, oldest first; `plans` are those that are not over. One that is not kept any more is none."""
    found = {one.id: one for one in incidents.all_open()}
    for missing in {one.incident for one in plans} - found.keys():
        if (asked := incidents.by_id(missing)) is not None:
            found[missing] = asked
    return tuple(sorted(found.values(), key=lambda one: (one.opened_at, one.id)))
