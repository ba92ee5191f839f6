"""An incident: one cluster, one root, one scope, one thread, however many alerts."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

import msgspec

from bot.model.refs import Ref


class State(StrEnum):
    """Where an incident stands."""

    OPEN = "open"
    RESOLVED = "resolved"


class Place(msgspec.Struct, frozen=True):
    """Where a conversation is: a channel, and the `ts` of the thread's root message (empty: no thread yet)."""

    channel: str
    thread: str = ""


class Incident(msgspec.Struct, frozen=True, kw_only=True):
    """One incident, as the store keeps it.

    Attributes:
        id: short, readable, unique in the cluster.
        keys: every root and scope that it has been known by (`kubelet-swap-on node/omen2`); a sharper diagnosis
            adds one, and an alert that leads to any of them folds in.
        opened_by: the id of the request that opened it, so that a redelivered one goes on instead of opening twice.
        place: channel and thread; the thread is empty until the root message is posted.
        count: alerts that led here, the first included.
        scope: what was asked about last.
        sources: alert group keys and alert message ids seen, for resolution and for "the same alert again".
    """

    id: str
    cluster: str
    keys: tuple[str, ...]
    opened_by: str
    opened_at: datetime
    place: Place
    state: State = State.OPEN
    count: int = 1
    scope: tuple[Ref, ...] = ()
    sources: tuple[str, ...] = ()
    lang: str = "en"
    changed_at: datetime | None = None
