"""Moves the world of a dump to another moment: every time in it, by one and the same difference."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bot.adapters.files.documents import documents
from tests.support.kubeapi import Json

#: RFC 3339 as the API server writes it: `metav1.Time` in seconds, `metav1.MicroTime` with six digits more.
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{6})?Z")
#: klog's header has neither year nor zone: `E0710 15:39:51`.
_KLOG = re.compile(r"^([IWEF])(\d{4} \d{2}:\d{2}:\d{2})", re.MULTILINE)


def objects(dump: Path) -> list[Json]:
    """The objects of a dump's files."""
    return [one.item for path in sorted(dump.glob("*.yaml")) for one in documents(path) if one.item]


def newest(things: Iterable[Json]) -> datetime:
    """The newest time that any of these objects names."""
    return max(
        datetime.fromisoformat(found[0]) for one in things for text in _texts(one) for found in _TIME.finditer(text)
    )


def moved(value: Any, by: timedelta) -> Any:
    """The same data with every RFC 3339 time in it moved."""
    if isinstance(value, dict):
        return {key: moved(item, by) for key, item in value.items()}
    if isinstance(value, list):
        return [moved(item, by) for item in value]
    return _TIME.sub(lambda found: _stamp(found, by), value) if isinstance(value, str) else value


def moved_to(things: list[Json], now: datetime) -> list[Json]:
    """The objects, such that their newest time is now."""
    by = now - newest(things)
    return [moved(one, by) for one in things]


def moved_journal(text: str, year: int, by: timedelta) -> str:
    """A journal whose klog lines are of this year, moved."""

    def stamp(found: re.Match[str]) -> str:
        written = datetime.strptime(f"{year}{found[2]}", "%Y%m%d %H:%M:%S").replace(tzinfo=UTC)
        return found[1] + (written + by).strftime("%m%d %H:%M:%S")

    return _KLOG.sub(stamp, text)


def klog(text: str, level: str = "E") -> str:
    """A line of klog that is written now, as a crash loop goes on writing its last words."""
    return f"{level}{datetime.now(UTC):%m%d %H:%M:%S}.000000    1201 {text}"


def _stamp(found: re.Match[str], by: timedelta) -> str:
    moment = datetime.fromisoformat(found[0]) + by
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ" if found[1] else "%Y-%m-%dT%H:%M:%SZ")


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str):
        yield value
