"""What Alertmanager posts to a webhook, and the request that it becomes.

The fields of the payload's version "4" are those of `Message` in prometheus/alertmanager
`notify/webhook/webhook.go` and of `Data` and `Alert` in `template/template.go`.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from bot.app.requests import Alert, AlertGroup
from bot.model.incident import Place

#: The year of Go's zero time, which says "has not ended".
_NEVER = 1


class _Payload(BaseModel):
    # Fields that newer versions add are no error; those that are not named here are not kept.
    model_config = ConfigDict(frozen=True, extra="ignore")


class PostedAlert(_Payload):
    """One alert of a group."""

    status: Literal["firing", "resolved"]
    labels: dict[str, str]
    annotations: dict[str, str] = {}
    starts_at: Annotated[AwareDatetime, Field(alias="startsAt")]
    ends_at: Annotated[AwareDatetime | None, Field(alias="endsAt")] = None
    fingerprint: Annotated[str, Field(min_length=1, max_length=64)]


class PostedGroup(_Payload):
    """A group of alerts, as one notification."""

    version: Literal["4"]
    group_key: Annotated[str, Field(alias="groupKey", min_length=1)]
    truncated_alerts: Annotated[int, Field(alias="truncatedAlerts", ge=0)] = 0
    status: Literal["firing", "resolved"]
    alerts: Annotated[tuple[PostedAlert, ...], Field(min_length=1)]


def request_of(group: PostedGroup, channel: str) -> AlertGroup:
    """The request that a notification becomes, in a channel by its id."""
    return AlertGroup(
        id=state_id(group, channel),
        group_key=group.group_key,
        alerts=tuple(_alert(one) for one in group.alerts),
        place=Place(channel),
        truncated=group.truncated_alerts,
    )


def state_id(group: PostedGroup, channel: str) -> str:
    """One id for one state of a group in one channel; it de-duplicates.

    A notification that is sent again has the same id, whether the reply got lost, a second Alertmanager of a
    cluster sends it too, or `repeat_interval` has passed while nothing changed. Who fires since when and who has
    ended since when make the state; annotations do not, since they carry readings. The channel belongs to it
    because one receiver may post the same group to two channels.
    """
    alerts = sorted(
        f"{one.fingerprint} {one.status} {one.starts_at.isoformat()} {_ended(one) or ''}" for one in group.alerts
    )
    state = "\n".join((channel, group.group_key, group.status, str(group.truncated_alerts), *alerts))
    return f"alertmanager:{hashlib.sha256(state.encode()).hexdigest()[:32]}"


def _alert(one: PostedAlert) -> Alert:
    return Alert(
        firing=one.status == "firing",
        labels=one.labels,
        annotations=one.annotations,
        starts_at=one.starts_at,
        ends_at=_ended(one),
        fingerprint=one.fingerprint,
    )


def _ended(one: PostedAlert) -> datetime | None:
    """When it ended; a firing alert's end is only when Alertmanager would take it for resolved, so it is left out."""
    if one.status == "firing" or one.ends_at is None or one.ends_at.year == _NEVER:
        return None
    return one.ends_at
