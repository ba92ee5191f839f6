"""Where the audit in the stream ends, and whether its head says the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.remedy.audit import AuditKey, Head, record, unsealed

#: The one field of an audit entry in the stream.
LINE = b"line"


def end_of(stored: bytes | None, rows: Sequence[Any], keys: Sequence[AuditKey]) -> tuple[Head | None, Head]:
    """The head if the chain ends where it says, and where the chain goes on: behind whatever is last of both.

    Args:
        stored: the head as it was read.
        rows: the last entry of the stream, or nothing.
        keys: the audit's keys.
    """
    head, last = unsealed(stored or b"", keys), _last_entry(rows)
    if head and head.seq and (head.seq, head.mac) == (last.seq, last.mac):
        return head, head
    end = max(head or Head(), last, key=lambda one: one.seq)
    return None, Head(seq=end.seq, mac=end.mac)


def _last_entry(rows: Sequence[Any]) -> Head:
    try:
        last = record(rows[0][1].get(LINE, b"")) if rows else {}
        return Head(seq=int(last.get("seq", "0")), mac=bytes.fromhex(last.get("mac", "")).hex())
    except ValueError:
        # It is no entry; verifying the audit names it.
        return Head()
