"""Takes a log apart into lines, and says when each was written.

klog writes neither year nor zone and a journal may write no year: times are resolved against the moment asked
about, backwards.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

_KLOG = re.compile(r"\b[IWEF](\d{2})(\d{2}) (\d{2}):(\d{2}):(\d{2})")
_ISO = re.compile(r"^(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?)")
_SYSLOG = re.compile(r"^([A-Z][a-z]{2}) +(\d{1,2}) (\d{2}):(\d{2}):(\d{2})")
#: A line that begins a record: a time, a program with its process id, or journalctl's mark between boots.
_BEGINS = re.compile(r"^(?:\d{4}-\d{2}-\d{2}|[A-Z][a-z]{2} +\d{1,2} \d{2}:|[IWEF]\d{4} |[\w.@-]+\[\d+\]:|-- )")
#: `journalctl` sets this between two boots, with the id of the one that follows, or `-- Reboot --`.
_BOOT = re.compile(r"^-- (?:Boot [0-9a-f-]+|Reboot) --$")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
#: A line may be newer than the picture, and its zone may lie ahead of UTC.
_AHEAD = timedelta(days=1)


def records(text: str, at: datetime) -> tuple[str, ...]:
    """The records of a log, oldest first; `journalctl -r` writes them the other way round."""
    lines = tuple(joined_lines(text))
    times = [when for line in lines if (when := time_of(line, at))]
    return lines[::-1] if times and times[0] > times[-1] else lines


def of_last_boot(lines: tuple[str, ...]) -> tuple[str, ...]:
    """What follows the last mark between two boots; all of it where there is none."""
    marks = [place for place, line in enumerate(lines) if _BOOT.match(line)]
    return lines[marks[-1] + 1 :] if marks else lines


def joined_lines(text: str) -> Iterator[str]:
    """Lines of a log, with continuations put back on one line.

    A continuation is indented (as people and `journalctl` wrap), or follows a line whose quotes are still open and
    begins no record of its own (as a paste loses indentation).
    """
    pending = ""
    for line in textwrap.dedent(text).splitlines():
        if pending and line.strip() and (line[0] in " \t" or (_is_open(pending) and not _BEGINS.match(line))):
            pending += " " + line.strip()
            continue
        if pending:
            yield pending
        pending = line.rstrip()
    if pending:
        yield pending


def _is_open(line: str) -> bool:
    return line.replace('\\"', "").count('"') % 2 == 1


def time_of(line: str, at: datetime) -> datetime | None:
    """When a line was written: RFC 3339 at its start, else klog or syslog, resolved to the last such time before `at`.

    klog's own header goes before syslog's, which may be a relay's. Zones that a line does not name are taken as UTC; a
    line without a time gives None.
    """
    if hit := _ISO.match(line):
        try:
            when = datetime.fromisoformat(hit[1].replace(",", "."))
        except ValueError:
            return None
        return when if when.tzinfo else when.replace(tzinfo=UTC)
    if hit := _KLOG.search(line):
        return _last_before(at, *(int(part) for part in hit.groups()))
    if hit := _SYSLOG.match(line):
        month = _MONTHS.index(hit[1]) + 1 if hit[1] in _MONTHS else 0
        return _last_before(at, month, int(hit[2]), int(hit[3]), int(hit[4]), int(hit[5]))
    return None


def tells_the_year(line: str) -> bool:
    """Whether the line's time is certain: klog and syslog write no year, so an old line may be a new one's double."""
    return _ISO.match(line) is not None


def last_klog(lines: tuple[str, ...], at: datetime) -> datetime | None:
    """When a component of Kubernetes wrote its last line here; systemd's lines about it are not its own."""
    return max((when for line in lines if _KLOG.search(line) and (when := time_of(line, at))), default=None)


def _last_before(at: datetime, month: int, day: int, hour: int, minute: int, second: int) -> datetime | None:
    for year in range((at + _AHEAD).year, at.year - 9, -1):  # 29 February may be up to eight years back
        try:
            when = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        except ValueError:
            continue
        if when <= at + _AHEAD:
            return when
    return None
