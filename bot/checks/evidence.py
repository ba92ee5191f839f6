"""How a check quotes what it saw in an object."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.model.findings import Evidence
from bot.model.objects import Condition, Event, Taint
from bot.model.refs import Ref

#: What is quoted where a field is not there, or its object: kubectl's own word for it.
NONE = "<none>"


def quoted(about: Ref, field: str, quote: str, first: datetime | None = None, last: datetime | None = None) -> Evidence:
    """One field of an object, with its exact value; `first` and `last` say when it was seen to be so."""
    return Evidence(source="kubernetes", object=about, field=field, quote=quote, first_seen=first, last_seen=last)


def stamp(when: datetime, *, micro: bool = False) -> str:
    """A time as the API writes it: in whole seconds, a MicroTime (of Leases) with six digits behind them.

    Source: k8s.io/apimachinery `pkg/apis/meta/v1` Time and MicroTime.
    """
    return f"{when.astimezone(UTC):{'%Y-%m-%dT%H:%M:%S.%fZ' if micro else '%Y-%m-%dT%H:%M:%SZ'}}"


def of_condition(about: Ref, one: Condition) -> Evidence:
    """An entry of `status.conditions`: status, reason and message, since its last transition."""
    words = (f"{one.type}={one.status}", one.reason, one.message)
    return quoted(
        about,
        f"status.conditions[{one.type}]",
        " ".join(word for word in words if word),
        one.last_transition_time,
        one.last_heartbeat_time,
    )


def of_taint(about: Ref, taint: Taint) -> Evidence:
    """An entry of a node's `spec.taints`."""
    return quoted(about, "spec.taints", f"{taint.key}:{taint.effect}", taint.time_added)


def of_event(about: Ref, event: Event) -> Evidence:
    """An event, with its reason as the field."""
    return Evidence(
        source="event",
        object=about,
        field=event.reason,
        quote=event.message,
        first_seen=event.first,
        last_seen=event.last,
    )
