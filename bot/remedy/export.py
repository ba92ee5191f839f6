"""An audit to take away: JSON lines that verify without the store, with the key.

The last line is a seal over all lines before it: the whole chain with its head, or the entries of one incident. Of
those the chain is cut into pieces, so they hold together by the seal: what is missing between them was not theirs.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from datetime import UTC, datetime

from bot.remedy.audit import AuditKey, Broken, Flaw, Record, canonical, genuine, record, verify

#: What an export calls itself.
SCHEMA = "gpu-autopsy.audit/1"
_COMMA = ","


def export(
    lines: Sequence[bytes], key: AuditKey, stored_head: bytes | None, *, at: datetime, incident: str = ""
) -> bytes:
    """The file.

    Args:
        lines: the entries as they are stored, oldest first.
        key: the current key.
        stored_head: where the whole chain ends, as it is stored.
        at: when the export is made.
        incident: the one that the entries are of; empty for the whole chain.
    """
    seal = {
        "schema": SCHEMA,
        "exported_at": at.astimezone(UTC).isoformat(),
        "incident": incident,
        "numbers": _COMMA.join(_number(line) for line in lines) if incident else str(len(lines)),
        "head": (stored_head or b"").decode("utf-8", "replace"),
        "sha256": _sha256(lines),
        "epoch": key.epoch,
    }
    seal["seal"] = key.seal(canonical(seal))
    return b"".join(line + b"\n" for line in (*lines, canonical(seal)))


def verify_export(data: bytes, keys: Sequence[AuditKey]) -> Broken | None:
    """The first line of an export that does not fit, None if all do."""
    *lines, rest = data.split(b"\n")
    if rest or not lines:
        return Broken(position=len(lines) + 1, flaw=Flaw.TRUNCATED)
    last = lines.pop()
    position = len(lines) + 1
    seal = _seal(last)
    if seal is None:
        # Without its seal nothing says where the export ended; an edited entry is named all the same.
        return _broken_alone(lines, keys) or Broken(position=position, flaw=Flaw.NO_HEAD)
    if not _is_genuine(seal, last, keys):
        return _broken_alone(lines, keys) or Broken(position=position, flaw=Flaw.HEAD_EDITED)
    if not seal["incident"]:
        found = verify(lines, keys, seal["head"].encode() or None)
        if found is not None and not (found.flaw is Flaw.NO_HEAD and not lines and seal["numbers"] == "0"):
            return found
    else:
        found = _broken_alone(lines, keys) or _missing(lines, seal["numbers"].split(_COMMA))
        if found is not None:
            return found
    return None if seal["sha256"] == _sha256(lines) else Broken(position=position, flaw=Flaw.NOT_AS_EXPORTED)


def entries_of(data: bytes) -> tuple[bytes, ...]:
    """The lines of an export before its seal."""
    return tuple(data.splitlines()[:-1])


def lines_of(lines: Sequence[bytes], incident: str) -> tuple[bytes, ...]:
    """The lines that are about one incident; a line that nobody can read stays, since it may have been."""
    return tuple(line for line in lines if _incident(line) in (incident, None))


def missing_anchor(lines: Sequence[bytes], anchors: Sequence[str]) -> str:
    """The first anchor that no entry has; empty if there is none.

    An anchor is `NUMBER:MAC`, or the beginning of the MAC, as it was kept elsewhere (the log, a thread, a claim in the
    cluster). It finds what the chain alone cannot: an older, genuine state.
    """
    macs = {_number(line): record(line).get("mac", "") for line in lines if _incident(line) is not None}
    for anchor in anchors:
        number, _, mac = anchor.partition(":")
        if not mac or not macs.get(number, "").startswith(mac):
            return anchor
    return ""


def _broken_alone(lines: Sequence[bytes], keys: Sequence[AuditKey]) -> Broken | None:
    for position, line in enumerate(lines, 1):
        flaw = genuine(line, keys)
        if flaw is not None:
            return Broken(position=position, flaw=flaw, seq=_number(line))
    return None


def _missing(lines: Sequence[bytes], numbers: Sequence[str]) -> Broken | None:
    found = [_number(line) for line in lines]
    wanted = [one for one in numbers if one]
    if found == wanted:
        return None
    same = next((at for at, (one, other) in enumerate(zip(found, wanted, strict=False)) if one != other), None)
    position = min(len(found), len(wanted)) if same is None else same
    flaw = Flaw.TRUNCATED if same is None and len(found) < len(wanted) else Flaw.OUT_OF_ORDER
    return Broken(position=position + 1, flaw=flaw, seq=found[position] if position < len(found) else "")


def _seal(line: bytes) -> Record | None:
    try:
        fields = record(line)
    except ValueError:
        return None
    wanted = {"schema", "incident", "numbers", "head", "sha256", "epoch", "seal"}
    return fields if wanted <= fields.keys() and fields["schema"] == SCHEMA else None


def _is_genuine(seal: Record, line: bytes, keys: Sequence[AuditKey]) -> bool:
    key = next((one for one in keys if one.epoch == seal["epoch"]), None)
    if key is None or canonical(seal) != line:
        return False
    unsigned = {name: text for name, text in seal.items() if name != "seal"}
    return hmac.compare_digest(key.seal(canonical(unsigned)).encode(), seal["seal"].encode())


def _number(line: bytes) -> str:
    try:
        return record(line).get("seq", "")
    except ValueError:
        return ""


def _sha256(lines: Sequence[bytes]) -> str:
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line + b"\n")
    return digest.hexdigest()


def _incident(line: bytes) -> str | None:
    try:
        return record(line).get("incident", "")
    except ValueError:
        return None
