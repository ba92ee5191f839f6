"""Reads the lines of the audit: all of them, or from where an incident begins, so that its story costs what it took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

import redis

from bot.adapters.redis.auditend import LINE
from bot.adapters.redis.shelf import Shelf
from bot.remedy.audit import record

#: Lines that are read at a time, from the newest on.
_PAGE = 500
Lines = tuple[bytes, ...]


def lines_since(client: redis.Redis, shelf: Shelf, since: int) -> tuple[Lines, bytes | None]:
    """The lines from this number on, oldest first, and the audit's head, as they are stored, of one moment.

    Where that line is not there, from the first one that is later.

    Raises:
        redis.RedisError: the server is out of reach.
    """
    with client.pipeline(transaction=True) as both:
        both.xrevrange(shelf.stream, count=_PAGE if since > 1 else None)
        both.get(shelf.head)
        rows, head = both.execute()
    page = rows
    while page and not _reaches(page, since):
        page = cast("list[Any]", client.xrevrange(shelf.stream, max=f"({page[-1][0].decode()}", count=_PAGE))
        rows += page
    lines = [_line(fields) for _, fields in reversed(rows)]
    begin = next((place for place, line in enumerate(lines) if _number(line) >= since), 0) if since > 1 else 0
    return tuple(lines[begin:]), head


def _reaches(page: Iterable[Any], since: int) -> bool:
    return any(0 < _number(_line(fields)) <= since for _, fields in page)


def _line(fields: Mapping[bytes, bytes]) -> bytes:
    """The entry's line; what has other fields is no entry of ours, and is shown whole."""
    return fields[LINE] if set(fields) == {LINE} else repr(dict(fields)).encode()


def _number(line: bytes) -> int:
    """The entry's number, 0 for what is no entry."""
    try:
        return int(record(line).get("seq", "0"))
    except ValueError:
        return 0
