"""What the bot has done to the very object that a step is for, lately: told on the step's card.

The cluster keeps a claim of every step that began, the audit its intent. A claim that the audit does not know means
that the audit has lost something, so that nothing may run on the strength of it before people have looked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

import msgspec

from bot.remedy.audit import DETAIL
from bot.remedy.plan import Earlier

#: How long it is told that something was done.
RECENT = timedelta(hours=24)


def lately(claims: Iterable[Earlier], now: datetime) -> tuple[Earlier, ...]:
    """Those of the last day, each with its age at `now`, world time. One without a time counts as new."""
    aged = [(one, now - one.at if one.at else timedelta(0)) for one in claims]
    return tuple(
        msgspec.structs.replace(one, ago=max(0, round(age.total_seconds()))) for one, age in aged if age < RECENT
    )


def attributed(claims: Sequence[Earlier], entries: Iterable[Mapping[str, str]]) -> tuple[Earlier, ...]:
    """Each with the plan whose intent the audit has for it."""
    plans = {one.get(f"{DETAIL}exec_id", ""): one.get("plan", "") for one in entries if one.get("type") == "intent"}
    return tuple(msgspec.structs.replace(one, plan=plans.get(one.exec_id, "")) for one in claims)
