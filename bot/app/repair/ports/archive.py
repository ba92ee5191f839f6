"""The ports of afterwards: a post-mortem quotes what was diagnosed then, not what is seen now."""

from __future__ import annotations

from typing import Protocol

import msgspec

from bot.model.incident import Incident
from bot.model.report import Report


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A report that was kept, and the SHA-256 of what is stored now: the one that the audit names, or it was edited."""

    report: Report
    sha256: str


class ReportArchive(Protocol):
    """Reports as of when their plan was offered: events live an hour in a cluster, the post-mortem must not."""

    def keep(self, plan_id: str, report: Report) -> str:
        """Keep the first report of this plan in its language; returns the SHA-256 of what is kept, for the audit.

        Raises:
            NotWritten: it is not known to be kept.
        """
        ...

    def of(self, plan_id: str, lang: str) -> Kept | None:
        """The report of this plan, None if there is none or none that can be read."""
        ...


class PostMortems(Protocol):
    """Writes post-mortems."""

    def markdown(self, incident: Incident, channel: str) -> str:
        """In the channel's language: the timeline, evidence, who decided what, what is left broken by choice."""
        ...
