"""The audit as a chain: every entry holds the MAC of the one before it, made with a key that the store never sees.

An entry is a flat map of texts; its bytes are RFC 8785 (JCS), its MAC is HMAC-SHA256(key, previous MAC || bytes). The
*head*, stored beside the chain, says where it ends and is sealed with the same key, so that a cut tail shows. It also
says what the values that are not in the chain were when they were last written, so that none is set back alone.

What it finds: whatever is done to entries or head by somebody without the key. What it cannot find: entries made by
whoever owns the key or the bot's process, and a store set back as a whole to an older state that was genuine; that
shows only where a later MAC was kept elsewhere (the log, a claim object in the cluster, a Slack thread).
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC
from enum import StrEnum

import msgspec
import rfc8785

from bot.remedy.decision import Entry

#: Least length of a key in bytes: that of the MAC (RFC 2104, section 3).
LEAST_KEY = 32
#: Begins the names of an entry's own details among the fields of its record.
DETAIL = "details."
#: Begins the names of what stands beside the chain among the fields of the head.
_BESIDE = "beside."
#: Hexadecimal digits of a digest of such a value: nobody without the key can make another value that is sealed.
_DIGITS = 32
#: The MAC before the first entry.
NONE_BEFORE = ""
Record = Mapping[str, str]


class WeakKey(ValueError):
    """A key that is too short."""


class AuditKey:
    """The key of the chain. `epoch` names it without telling it, so that entries say which key they are made with.

    Args:
        secret: at least `LEAST_KEY` bytes.

    Raises:
        WeakKey: it is shorter.
    """

    def __init__(self, secret: bytes) -> None:
        if len(secret) < LEAST_KEY:
            raise WeakKey(f"the audit key has {len(secret)} bytes, at least {LEAST_KEY} are needed")
        self._secret = secret
        # Entries and seals have keys of their own: neither can be passed off as the other.
        self._sealing = hmac.digest(secret, b"gpu-autopsy seal", hashlib.sha256)
        self.epoch = hmac.digest(secret, b"gpu-autopsy epoch", hashlib.sha256).hex()[:16]

    def mac(self, prev: str, data: bytes) -> str:
        """The MAC of an entry's bytes after the entry with the MAC `prev` (hex)."""
        return hmac.digest(self._secret, bytes.fromhex(prev) + data, hashlib.sha256).hex()

    def seal(self, data: bytes) -> str:
        """The MAC of something that is no entry: a value, a head, the last line of an export."""
        return hmac.digest(self._sealing, data, hashlib.sha256).hex()


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """Where the chain ends: number and MAC of its last entry. `beside` are digests of the values beside it, by key."""

    seq: int = 0
    mac: str = NONE_BEFORE
    beside: Mapping[str, str] = {}

    def __str__(self) -> str:
        return f"{self.seq}:{self.mac}"


class Chained(msgspec.Struct, frozen=True, kw_only=True):
    """An entry in the chain: the line that is stored, and the head that it makes."""

    line: bytes
    head: Head


class Flaw(StrEnum):
    """How an entry does not fit. Words: reason `audit-FLAW`."""

    UNREADABLE = "unreadable"
    """No canonical JSON object of texts."""
    UNKNOWN_KEY = "unknown-key"
    """Made with another key than those given."""
    EDITED = "edited"
    """Its MAC is not that of its content."""
    OUT_OF_ORDER = "out-of-order"
    """Not the entry that follows: something before it was deleted, inserted or moved."""
    NO_HEAD = "no-head"
    """The chain's end is not told."""
    HEAD_EDITED = "head-edited"
    """What tells the chain's end is not genuine."""
    TRUNCATED = "truncated"
    """The chain ends before its head."""
    BEYOND_HEAD = "beyond-head"
    """The chain goes on after its head."""
    NOT_AS_EXPORTED = "not-as-exported"
    """The lines are not those that the export was sealed with."""


class Broken(msgspec.Struct, frozen=True, kw_only=True):
    """The first place that does not fit: its position from 1, and the number that the entry there claims to have."""

    position: int
    flaw: Flaw
    seq: str = ""


def chain(entries: Iterable[Entry], head: Head, key: AuditKey) -> tuple[Chained, ...]:
    """Put entries after the head, in this order."""
    done: list[Chained] = []
    for entry in entries:
        unsigned = {**_record(entry), "seq": str(head.seq + 1), "epoch": key.epoch, "prev": head.mac}
        head = Head(seq=head.seq + 1, mac=key.mac(head.mac, canonical(unsigned)))
        done.append(Chained(line=canonical({**unsigned, "mac": head.mac}), head=head))
    return tuple(done)


def record(line: bytes) -> Record:
    """A stored line as its fields.

    Raises:
        ValueError: it is no flat JSON object of texts.
    """
    return msgspec.json.decode(line, type=dict[str, str])


def shown(line: bytes) -> Record:
    """A stored line as its fields; one that is no entry as `{"unreadable": its text}`: whoever reads must see it."""
    try:
        return record(line)
    except ValueError:
        return {"unreadable": line.decode("utf-8", "replace")}


def details(entry: Record) -> dict[str, str]:
    """The entry's own details."""
    return {name.removeprefix(DETAIL): text for name, text in entry.items() if name.startswith(DETAIL)}


def sealed(head: Head, key: AuditKey) -> bytes:
    """The head as it is stored."""
    beside = {f"{_BESIDE}{name}": digest for name, digest in head.beside.items()}
    unsigned = {**beside, "seq": str(head.seq), "mac": head.mac, "epoch": key.epoch}
    return canonical({**unsigned, "seal": key.seal(canonical(unsigned))})


def unsealed(stored: bytes, keys: Sequence[AuditKey]) -> Head | None:
    """The head that was stored, None if it is not genuine under any of the keys."""
    fields = _parsed(stored)
    key = _key_of(fields, keys)
    if fields is None or key is None:
        return None
    unsigned = {name: text for name, text in fields.items() if name != "seal"}
    if not hmac.compare_digest(key.seal(canonical(unsigned)).encode(), fields.get("seal", "").encode()):
        return None
    beside = {name.removeprefix(_BESIDE): text for name, text in fields.items() if name.startswith(_BESIDE)}
    return Head(seq=int(fields["seq"]), mac=fields["mac"], beside=beside)


def value_digest(stored: bytes) -> str:
    """What the head says of a value beside the chain."""
    return hashlib.sha256(stored).hexdigest()[:_DIGITS]


def sealed_value(name: str, value: bytes, key: AuditKey) -> bytes:
    """A value with the seal that says: written under this name by somebody with the key."""
    return f"{key.epoch} {key.seal(_named(name, value))}\n".encode() + value


def unsealed_value(name: str, stored: bytes, keys: Sequence[AuditKey]) -> bytes | None:
    """The value, None if it is not genuine under any of the keys."""
    seal, _, value = stored.partition(b"\n")
    made = (f"{key.epoch} {key.seal(_named(name, value))}".encode() for key in keys)
    return value if any(hmac.compare_digest(one, seal) for one in made) else None


def verify(
    lines: Iterable[bytes], keys: Sequence[AuditKey], stored_head: bytes | None, *, since: int = 1
) -> Broken | None:
    """The first entry that does not fit, None if all do and the chain ends at its head.

    Args:
        lines: the chain, oldest first, whole or from `since` on.
        keys: the current key, and those before it.
        stored_head: what `sealed` gave for the last entry.
        since: the number of the first line, which is genuine by its MAC. Of what is before it nothing is said.
    """
    last, position = Head(seq=since - 1), 0
    for position, line in enumerate(lines, 1):
        entry = _parsed(line)
        flaw = _flaw(entry, keys)
        if flaw is None and entry is not None:
            is_behind = entry["prev"] == last.mac or (position == 1 and since > 1)
            following = entry["seq"] == str(last.seq + 1) and is_behind
            flaw = None if following else Flaw.OUT_OF_ORDER
        if flaw is not None or entry is None:
            return Broken(position=position, flaw=flaw or Flaw.UNREADABLE, seq=(entry or {}).get("seq", ""))
        last = Head(seq=last.seq + 1, mac=entry["mac"])
    flaw = _end_flaw(last, stored_head, keys)
    return Broken(position=position + 1, flaw=flaw) if flaw else None


def genuine(line: bytes, keys: Sequence[AuditKey]) -> Flaw | None:
    """What is wrong with one entry, looked at by itself."""
    return _flaw(_parsed(line), keys)


def canonical(fields: Record) -> bytes:
    """The RFC 8785 bytes of a flat map of texts; what is no Unicode scalar becomes U+FFFD."""
    return rfc8785.dumps({_scalar(name): _scalar(text) for name, text in fields.items()})


def _named(name: str, value: bytes) -> bytes:
    return name.encode() + b"\n" + value


def _record(entry: Entry) -> dict[str, str]:
    return {
        **{f"{DETAIL}{name}": text for name, text in entry.details.items()},
        "at": entry.at.astimezone(UTC).isoformat(),
        "type": entry.type,
        "actor": entry.actor.id,
        "incident": entry.incident,
        "plan": entry.plan,
        "step": entry.step,
        "digest": entry.digest,
    }


def _scalar(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _parsed(line: bytes) -> Record | None:
    """The fields, None unless these are exactly the bytes that they have as RFC 8785."""
    try:
        fields = record(line)
    except ValueError:
        return None
    return fields if canonical(fields) == line else None


def _key_of(fields: Record | None, keys: Sequence[AuditKey]) -> AuditKey | None:
    return next((key for key in keys if fields is not None and key.epoch == fields.get("epoch")), None)


def _flaw(entry: Record | None, keys: Sequence[AuditKey]) -> Flaw | None:
    if entry is None or not {"seq", "prev", "mac", "epoch"} <= entry.keys():
        return Flaw.UNREADABLE
    key = _key_of(entry, keys)
    if key is None:
        return Flaw.UNKNOWN_KEY
    unsigned = {name: text for name, text in entry.items() if name != "mac"}
    try:
        expected = key.mac(entry["prev"], canonical(unsigned))
    except ValueError:
        # `prev` is no hexadecimal number.
        return Flaw.EDITED
    return None if hmac.compare_digest(expected.encode(), entry["mac"].encode()) else Flaw.EDITED


def _end_flaw(last: Head, stored_head: bytes | None, keys: Sequence[AuditKey]) -> Flaw | None:
    if stored_head is None:
        return Flaw.NO_HEAD
    head = unsealed(stored_head, keys)
    if head is None:
        return Flaw.HEAD_EDITED
    if head.seq != last.seq:
        return Flaw.TRUNCATED if head.seq > last.seq else Flaw.BEYOND_HEAD
    return None if head.mac == last.mac else Flaw.HEAD_EDITED
