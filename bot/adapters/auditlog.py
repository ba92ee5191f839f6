"""The second sink of the audit: every entry on standard output as well, where the log's collector takes it away."""

from __future__ import annotations

import structlog

#: The logger; the log's settings let it through at every level.
LOGGER = "bot.audit"


def log_entry(line: bytes) -> None:
    """One entry, exactly as it is chained, in the field `entry`."""
    structlog.get_logger(LOGGER).info("audit", entry=line.decode())
