"""The port of silences: for an alert that a choice leaves firing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from bot.remedy.plan import Actor


class Silencer(Protocol):
    """Alertmanager's silences."""

    def silence(self, matchers: Mapping[str, str], until: datetime, by: Actor, incident: str, why: str) -> str:
        """Create a silence, or lengthen the one of this incident with these matchers; returns its id.

        Raises:
            RuntimeError: Alertmanager refused or is out of reach.
        """
        ...
