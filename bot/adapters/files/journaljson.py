"""Lines of `journalctl -o json`, written as the short form that people usually paste.

The fields are those of systemd.journal-fields(7); the times are microseconds since 1970 (`journalctl(1)`, JSON output).
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def short_line(line: str) -> str:
    """The entry in the form of `-o short-iso-precise`; a line that is no entry stays as it is."""
    if not line.startswith("{"):
        return line
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return line
    if not isinstance(entry, dict):
        return line
    message = entry.get("MESSAGE")
    ident = entry.get("SYSLOG_IDENTIFIER") or str(entry.get("_SYSTEMD_UNIT", "")).removesuffix(".service")
    when = _when(entry)
    if when is None or not isinstance(message, str) or not ident:
        return line
    told = message.replace("\n", "\n    ")
    return f"{when.isoformat()} {entry.get('_HOSTNAME') or 'localhost'} {ident}: {told}"


def _when(entry: dict[str, Any]) -> datetime | None:
    digits = str(entry.get("__REALTIME_TIMESTAMP", ""))
    try:
        return _EPOCH + timedelta(microseconds=int(digits))
    except (ValueError, OverflowError):
        return None
