"""What is kept of incidents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bot.model.incident import Incident, Place


class Incidents(Protocol):
    """The incidents of this cluster, shared by all replicas."""

    def open(self, incident: Incident) -> Incident:
        """Create it, unless a source or a key of it belongs to an open incident: then that one, unchanged.

        One of the same id is returned whatever its state, so that a redelivered request finds what it began.
        """
        ...

    def by_id(self, incident_id: str) -> Incident | None:
        """The incident as it is now."""
        ...

    def by_place(self, place: Place) -> Incident | None:
        """The incident of this thread."""
        ...

    def by_source(self, source: str) -> Incident | None:
        """The open incident that this alert group or alert message led to."""
        ...

    def save(self, before: Incident, after: Incident) -> Incident | None:
        """Replace it and return it as stored; None if it is no longer as it was before: read and decide again."""
        ...

    def all_open(self) -> tuple[Incident, ...]:
        """All open incidents that an alert led to or a plan was offered for, oldest first."""
        ...

    def note_over(self, alerts: Sequence[str]) -> None:
        """Remember that these alerts no longer fire, whether or not they led to an incident yet."""
        ...

    def over(self, alerts: Sequence[str]) -> frozenset[str]:
        """Those of the alerts that were noted as over."""
        ...
