"""What being on duty needs from outside, beside `ports`: silences and post-mortems."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from bot.model.incident import Incident
from bot.remedy.plan import Actor


class Silencer(Protocol):
    """Alertmanager's silences."""

    def silence(self, matchers: Mapping[str, str], until: datetime, by: Actor, why: str) -> str:
        """Create a silence; returns its id.

        Raises:
            RuntimeError: Alertmanager refused or is out of reach.
        """
        ...


class PostMortems(Protocol):
    """Writes post-mortems."""

    def markdown(self, incident: Incident, channel: str) -> str:
        """In the channel's language: the timeline, evidence, who decided what, what is left broken by choice."""
        ...
