"""Incidents in Redis, shared by all replicas.

An incident is one value beside its revision. Indexes lead to it from its thread and, while it is open, from its keys
and sources; they expire when nothing has been heard for a while, so that a fault that comes back after weeks opens
a new thread instead of vanishing in an old one.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any, cast

import msgspec
import redis

from bot.adapters.redis.client import Keys
from bot.adapters.redis.commit import Command, Commit
from bot.model.incident import Incident, Place

#: The ear drops what Alertmanager repeats within a day, so a repeat is heard about once a day: two days are enough.
QUIET = timedelta(days=2)
KEPT = timedelta(days=30)
#: A resolution that came before its alert led anywhere is remembered for this long.
_OVER = timedelta(days=1)
_TRIES = 100


class Contended(RuntimeError):
    """Others changed the same incidents again and again; the request comes again by redelivery."""


class RedisIncidents:
    """`app.ports.Incidents`.

    Args:
        client: a client for writes (`client.connect`).
        keys: the names of the keys.
        quiet: how long after its last change an open incident takes no more alerts.
        kept: how long after its last change it can be found by its thread.
    """

    def __init__(self, client: redis.Redis, keys: Keys, quiet: timedelta = QUIET, kept: timedelta = KEPT) -> None:
        self._redis = client
        self._keys = keys
        self._commit = Commit(client)
        self._quiet = round(quiet.total_seconds())
        self._kept = round(kept.total_seconds())

    def open(self, incident: Incident) -> Incident:
        """Create it, unless one of its id, or an open one of its sources or keys, is there: then that one.

        Raises:
            Contended: see there.
        """
        for _ in range(_TRIES):
            found = self.by_id(incident.id)
            if found is not None:
                return found
            indexes = self._read(self._indexes(incident))
            owner = self._open_owner(indexes.values())
            if owner is not None:
                return owner
            first = msgspec.structs.replace(incident, revision=1)
            if self._commit({self._revision(incident.id): None, **indexes}, self._writes(first, list(indexes), "1")):
                return first
        raise Contended(incident.id)

    def by_id(self, incident_id: str) -> Incident | None:
        """The incident as it is now, None if it is not kept any more."""
        value = cast("bytes | None", self._redis.get(self._keys("incident", incident_id)))
        return None if value is None else msgspec.json.decode(value, type=Incident)

    def by_place(self, place: Place) -> Incident | None:
        """The incident or conversation of this thread."""
        return self._at(self._place(place)) if place.thread else None

    def by_source(self, source: str) -> Incident | None:
        """The open incident that this source led to."""
        found = self._at(self._keys("source", source))
        return found if found is not None and found.is_open else None

    def save(self, before: Incident, after: Incident) -> Incident | None:
        """Replace it. An index that belongs to another open incident stays with that one.

        Raises:
            Contended: see there.
        """
        saved = msgspec.structs.replace(after, revision=before.revision + 1)
        # Tells our own write, sent again after its reply got lost, from another writer's with the same content.
        mark = f"{saved.revision} {uuid.uuid4().hex}"
        for _ in range(_TRIES):
            stored = cast("bytes | None", self._redis.get(self._revision(saved.id)))
            if stored is None or stored.split()[0] != str(before.revision).encode():
                return saved if stored == mark.encode() else None
            indexes = self._read(self._indexes(saved))
            ours = [key for key, value in indexes.items() if not self._belongs_to_another(value, saved.id)]
            expected = {self._revision(saved.id): stored, **{key: indexes[key] for key in ours}}
            if self._commit(expected, self._writes(saved, ours, mark)):
                return saved
        raise Contended(saved.id)

    def all_open(self) -> tuple[Incident, ...]:
        """Open incidents that an alert led to or a plan was offered for, and that are still kept, oldest first."""
        ids = [one.decode() for one in cast("set[bytes]", self._redis.smembers(self._keys("open")))]
        found = {one: self.by_id(one) for one in ids}
        expired = [one for one, incident in found.items() if incident is None]
        if expired:
            self._redis.srem(self._keys("open"), *expired)
        there = [one for one in found.values() if one is not None and one.is_open]
        return tuple(sorted(there, key=lambda one: (one.opened_at, one.id)))

    def note_over(self, alerts: Sequence[str]) -> None:
        """Remember for a day that these alerts ended."""
        commands: list[Command] = [("SET", self._over(one), "1", "EX", round(_OVER.total_seconds())) for one in alerts]
        self._commit({}, commands)

    def over(self, alerts: Sequence[str]) -> frozenset[str]:
        """Those of the alerts that are remembered as ended."""
        noted = self._read([self._over(one) for one in alerts])
        return frozenset(one for one in alerts if noted[self._over(one)] is not None)

    def _writes(self, incident: Incident, indexes: Iterable[str], mark: str) -> list[Command]:
        """Everything that makes the incident be there as it is, with its indexes."""
        is_open = incident.is_open
        writes: list[Command] = [
            ("SET", self._keys("incident", incident.id), msgspec.json.encode(incident), "EX", self._kept),
            ("SET", self._revision(incident.id), mark, "EX", self._kept),
        ]
        for key in indexes:
            writes.append(("SET", key, incident.id, "EX", self._quiet) if is_open else ("DEL", key))
        if incident.place.thread:
            writes.append(("SET", self._place(incident.place), incident.id, "EX", self._kept))
        change = "SADD" if is_open and (incident.sources or incident.planned) else "SREM"
        return [*writes, (change, self._keys("open"), incident.id)]

    def _indexes(self, incident: Incident) -> list[str]:
        """Index keys, the sources first: an alert group goes on in its thread whatever it leads to now."""
        sources = [self._keys("source", one) for one in incident.sources]
        return list(dict.fromkeys([*sources, *(self._keys("key", one) for one in incident.keys)]))

    def _open_owner(self, ids: Iterable[bytes | None]) -> Incident | None:
        found = (self.by_id(one.decode()) for one in dict.fromkeys(ids) if one is not None)
        return next((one for one in found if one is not None and one.is_open), None)

    def _belongs_to_another(self, index: bytes | None, incident_id: str) -> bool:
        if index is None or index.decode() == incident_id:
            return False
        return self._open_owner([index]) is not None

    def _at(self, index: str) -> Incident | None:
        value = cast("bytes | None", self._redis.get(index))
        return None if value is None else self.by_id(value.decode())

    def _read(self, keys: Sequence[str]) -> dict[str, bytes | None]:
        values = cast("list[Any]", self._redis.mget(keys)) if keys else []
        return dict(zip(keys, values, strict=True))

    def _revision(self, incident_id: str) -> str:
        return self._keys("incident", incident_id, "revision")

    def _place(self, place: Place) -> str:
        return self._keys("place", place.channel, place.thread)

    def _over(self, alert: str) -> str:
        return self._keys("over", alert)
