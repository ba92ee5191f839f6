"""The newest moment that the objects of a dump tell of: the one from which ages count when nobody says another.

Only what was observed counts (conditions, events, leases, container states, creation). A `deletionTimestamp` is
when the grace period ends, which may lie ahead, and is left out. So is what a single object says more than a day
ahead of all others: its writer's clock was wrong, and every age would be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

import msgspec

from bot.model.moment import Moment
from bot.model.objects import KubeObject, ref_of
from bot.model.objects.meta import api_name
from bot.model.objects.virt import HEARTBEAT
from bot.model.report import MomentSource

_AHEAD = frozenset({"deletion_timestamp"})

#: A cluster that lives writes leases and heartbeats all the time; one object alone is not that far ahead.
_ALONE = timedelta(days=1)
#: Among fewer objects nobody can say which of them is right.
_ENOUGH = 4


def newest(objects: Iterable[KubeObject]) -> Moment | None:
    """The newest time in the objects, with the object and the field that hold it; None if there is none."""
    dated = [(at, thing, field) for thing in objects for at, field in _newest_of(thing)]
    dated.sort(key=lambda one: one[0], reverse=True)
    if not dated:
        return None
    is_outlier = len(dated) >= _ENOUGH and dated[0][0] - dated[1][0] > _ALONE
    at, thing, field = dated[1 if is_outlier else 0]
    return Moment(at, MomentSource.NEWEST, f"{ref_of(thing)} {field}")


def _newest_of(thing: KubeObject) -> list[tuple[datetime, str]]:
    """The newest time of one object, in a list that is empty where it has none."""
    return sorted(_times(thing, ""), key=lambda one: one[0])[-1:]


def _times(value: object, field: str) -> Iterator[tuple[datetime, str]]:
    if isinstance(value, datetime):
        yield (value if value.tzinfo else value.replace(tzinfo=UTC)), field
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            if name not in _AHEAD:
                yield from _times(getattr(value, name), f"{field}.{api_name(name)}" if field else api_name(name))
    elif isinstance(value, tuple):
        for number, item in enumerate(value):
            yield from _times(item, f"{field}[{number}]")
    elif isinstance(value, dict) and HEARTBEAT in value:
        try:
            heartbeat = datetime.fromisoformat(str(value[HEARTBEAT]))
        except ValueError:
            return
        yield from _times(heartbeat, f"{field}[{HEARTBEAT}]")
