"""The newest moment that the objects of a dump tell of: the one from which ages count when nobody says another.

Only what was observed counts (conditions, events, leases, container states, creation). A `deletionTimestamp` is
when the grace period ends, which may lie ahead, and is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

import msgspec

from bot.model.moment import Moment
from bot.model.objects import KubeObject, ref_of
from bot.model.objects.meta import api_name
from bot.model.report import MomentSource

_AHEAD = frozenset({"deletion_timestamp"})
#: virt-handler writes it about once a minute into the node's annotations (kubevirt `api/core/v1` VirtHandlerHeartbeat).
_HEARTBEAT = "kubevirt.io/heartbeat"


def newest(objects: Iterable[KubeObject]) -> Moment | None:
    """The newest time in the objects, with the object and the field that hold it; None if there is none."""
    best: tuple[datetime, KubeObject, str] | None = None
    for thing in objects:
        for at, field in _times(thing, ""):
            if best is None or at > best[0]:
                best = at, thing, field
    if best is None:
        return None
    at, thing, field = best
    return Moment(at, MomentSource.NEWEST, f"{ref_of(thing)} {field}")


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
    elif isinstance(value, dict) and _HEARTBEAT in value:
        try:
            heartbeat = datetime.fromisoformat(str(value[_HEARTBEAT]))
        except ValueError:
            return
        yield from _times(heartbeat, f"{field}[{_HEARTBEAT}]")
