"""What the journal's keys hold at one moment, and whether they can be trusted.

A store that was wiped, set back to an older state or edited must not let anything run. It shows by the mark that is
written when the journal begins (`gen`), by the seals of the audit's head, freeze, budget and plans, by what the head
says of all of these, since a seal does not tell the last value from an earlier one, and by what this process saw
before. All but a plan, which is refused alone, are an *alarm*: it counts as a freeze until people lift it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from threading import Lock
from typing import Any, TypeVar, cast

import msgspec
import redis
import structlog

from bot.adapters.redis.auditend import LINE, end_of
from bot.adapters.redis.client import Keys
from bot.adapters.redis.trust import ROLLED_BACK, alarm_of, displaced, is_last
from bot.app.repair.ports import NotWritten
from bot.remedy.audit import AuditKey, Head, genuine, sealed_value, unsealed, unsealed_value, value_digest
from bot.remedy.decision import NOT_BEGUN, Budget, Freeze
from bot.remedy.plan import Plan
from bot.remedy.rules import is_over
from bot.remedy.spending import recent

T = TypeVar("T")

#: Looks at an end that does not fit, until two of them in a row agree.
_LOOKS = 5

_log = structlog.get_logger(__name__)


class State(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a commit compares and changes. `raw` are the bytes of the keys as they were read."""

    raw: dict[str, bytes | None]
    head: Head
    freeze: Freeze
    budget: Budget
    plan: Plan | None = None
    done: bytes | None = None
    """What the op wrote, if it was carried out before."""
    alarm: str = ""
    cluster: str = ""
    """Which cluster this journal is of, by the uid of its namespace `kube-system`."""
    is_begun: bool = True
    """False for a store that holds nothing of a journal, and of which this process never saw one."""


class Shelf:
    """Reads the keys of the journal.

    Args:
        client: a client for writes: what replicas say may be old.
        keys: the names of the keys.
        audit: the audit's key, and those before it.
        limits: the limits of the budget; how much of them is used is stored.
    """

    def __init__(self, client: redis.Redis, keys: Keys, audit: Sequence[AuditKey], limits: Budget) -> None:
        self._redis = client
        self._keys = keys
        self._audit = tuple(audit)
        self._limits = limits
        self._seen = ("", 0)
        self._lock = Lock()
        self.gen, self.head, self.stream = keys("journal", "gen"), keys("audit", "head"), keys("audit")
        self.freeze, self.budget, self.open = keys("freeze"), keys("budget"), keys("plans")
        self.cluster = keys("journal", "cluster")

    def plan(self, plan_id: str) -> str:
        """The key of a plan."""
        return self._keys("plan", plan_id)

    def of_incident(self, incident: str) -> str:
        """The key of the index of one incident's plans."""
        return self._keys("plans", incident)

    def since(self, incident: str) -> str:
        """The key of the number of an incident's first entry in the audit."""
        return self._keys("audit", "since", incident)

    def first_of(self, incident: str) -> int:
        """That number; 1 where it is not kept, or not by us.

        Raises:
            redis.RedisError: the server is out of reach.
        """
        name = self.since(incident)
        stored = cast("bytes | None", self._redis.get(name))
        number = self._decoded({name: stored}, name, "")
        return int(number) if number else 1

    def op(self, op_id: str) -> str:
        """The key of what an op wrote."""
        return self._keys("op", op_id)

    def is_blank(self) -> bool:
        """Whether nothing of a journal is there.

        Raises:
            redis.RedisError: the server is out of reach.
        """
        left = [self.gen, self.head, self.freeze, self.budget, self.stream, self.open, self.cluster]
        return not self._redis.exists(*left)

    def ends_in_ours(self) -> bool:
        """Whether the audit's last entry was made with a key of ours; yes where there is none yet.

        Raises:
            redis.RedisError: the server is out of reach.
        """
        rows = cast("list[tuple[bytes, dict[bytes, bytes]]]", self._redis.xrevrange(self.stream, count=1))
        return not rows or genuine(rows[0][1].get(LINE, b""), self._audit) is None

    def read(self, now: datetime, *, plan_id: str = "", op_id: str = "") -> State:
        """The state at this moment.

        Raises:
            NotWritten: the plan is there and cannot be read.
            redis.RedisError: the server is out of reach.
        """
        # Before the read: what others write meanwhile is newer than this, never older.
        gen_before, seq_before = self._seen
        names = [self.gen, self.head, self.freeze, self.budget, self.cluster]
        names += [self.plan(plan_id)] if plan_id else []
        names += [self.op(op_id)] if op_id else []
        raw, head, end = self._look(names)
        freeze = self._decoded(raw, self.freeze, Freeze(frozen=False))
        budget = self._decoded(raw, self.budget, Budget())
        cluster = self._decoded(raw, self.cluster, "")
        gen = (raw[self.gen] or b"").decode("utf-8", "replace")
        alarm = alarm_of(gen, head, freeze, budget, cluster)
        is_begun = bool(gen or gen_before or not self.is_blank())
        if not alarm and head:
            is_older = bool(gen_before) and (gen != gen_before or head.seq < seq_before)
            marks = (self.gen, self.freeze, self.budget, self.cluster)
            alarm = ROLLED_BACK if is_older else displaced(raw, head, marks, needed=self.freeze)
        if not alarm and head:
            self.saw(gen, head.seq)
        freeze = freeze or Freeze(frozen=True)
        return State(
            raw=raw,
            cluster="" if alarm and not is_last(raw, self.cluster, head) else cluster or "",
            is_begun=is_begun,
            head=end,
            freeze=msgspec.structs.replace(freeze, frozen=True, why=alarm if is_begun else NOT_BEGUN)
            if alarm
            else freeze,
            budget=recent(self._limited(budget or Budget()), now),
            plan=self._opened(self.plan(plan_id), raw.get(self.plan(plan_id)), None if alarm else head),
            done=raw.get(self.op(op_id)),
            alarm=alarm,
        )

    def saw(self, gen: str, seq: int, *, trusted: bool = False) -> None:
        """Remember how far the audit was; `trusted` also where that is less than before."""
        with self._lock:
            if trusted or gen != self._seen[0] or seq > self._seen[1]:
                self._seen = (gen, seq)

    def written(self, name: str, value: Plan | Freeze | Budget | str) -> bytes:
        """A value as it is stored under this key."""
        return sealed_value(name, msgspec.json.encode(value), self._audit[0])

    def resealed(self, raw: Mapping[str, bytes | None]) -> Iterator[tuple[str, bytes]]:
        """The values that were sealed with a key from before, sealed with the key of now."""
        for name in (self.freeze, self.budget, self.cluster):
            stored = raw[name] or b""
            value = unsealed_value(name, stored, self._audit[1:])
            if value is not None:
                yield name, sealed_value(name, value, self._audit[0])

    def plans(self, incident: str) -> Iterator[Plan]:
        """The plans of an incident, or all that are not over: those also where somebody took them from the list.

        Raises:
            redis.RedisError: the server is out of reach.
        """
        with self._redis.pipeline(transaction=False) as both:
            both.smembers(self.of_incident(incident) if incident else self.open)
            both.get(self.head)
            listed, head = both.execute()
        names = {self.plan(one.decode()) for one in listed}
        if not incident:
            names |= {one for one in self._beside(head) if one.startswith(self.plan(""))}
        ordered = sorted(names)
        # The head once more, of the same moment as the plans.
        stored = cast("list[Any]", self._redis.mget([self.head, *ordered]))
        known = unsealed(stored[0] or b"", self._audit)
        for name, value in zip(ordered, stored[1:], strict=True):
            try:
                plan = self._opened(name, value, known)
            except NotWritten as why:
                _log.error("plan_unreadable", plan=name.removeprefix(self.plan("")), why=str(why))
                continue
            if plan is not None:
                yield plan

    def anew(self, state: State) -> State:
        """The state from which a head is written that believes what stands beside it: people are asked meanwhile."""
        if state.head.beside:
            return state
        listed = cast("set[bytes]", self._redis.smembers(self.open))
        names = [self.cluster, *(self.plan(one.decode()) for one in sorted(listed))]
        there = dict(zip(names, cast("list[Any]", self._redis.mget(names)), strict=True))
        raw = {**there, **state.raw}
        beside = {name: value_digest(value) for name in names if (value := raw[name]) is not None}
        return msgspec.structs.replace(state, raw=raw, head=msgspec.structs.replace(state.head, beside=beside))

    def _opened(self, name: str, stored: bytes | None, head: Head | None) -> Plan | None:
        """The plan that stands under this key; `head` is what must know of it, if there is one to be trusted.

        Raises:
            NotWritten: it was not written by us, by another version, or is not as it was last written.
        """
        plan = self._decoded({name: stored}, name, cast("Plan | None", None), Plan)
        if stored is not None and plan is None:
            raise NotWritten(f"store-unreadable {name}")
        known = head.beside.get(name) if head else None
        if known and stored is None:
            raise NotWritten(f"store-gone {name}")
        if head and plan and stored and (known != value_digest(stored) if known else not is_over(plan)):
            raise NotWritten(f"store-put-back {name}")
        return plan

    def op_lines(self, op_id: str, done: bytes) -> tuple[bytes, ...]:
        """The audit lines that an op wrote.

        Raises:
            NotWritten: what says that it was carried out was not written by us.
        """
        lines = unsealed_value(self.op(op_id), done, self._audit)
        if lines is None:
            raise NotWritten(f"store-op-not-genuine {op_id}")
        return tuple(lines.split(b"\n")) if lines else ()

    def _decoded(self, raw: Mapping[str, bytes | None], name: str, missing: T, kind: type[T] | None = None) -> T | None:
        """The value of a key; None if it is not genuine or not readable, of which the caller makes an alarm."""
        stored = raw[name]
        if stored is None:
            return missing
        value = unsealed_value(name, stored, self._audit)
        try:
            return None if value is None else msgspec.json.decode(value, type=kind or type(missing))
        except msgspec.DecodeError:
            return None

    def _beside(self, head: bytes | None) -> Mapping[str, str]:
        found = unsealed(head or b"", self._audit)
        return found.beside if found else {}

    def _limited(self, used: Budget) -> Budget:
        """The limits are ours; how much of them is used is what was stored."""
        return msgspec.structs.replace(
            used,
            per_hour=self._limits.per_hour,
            at_once=self._limits.at_once,
            failures_per_hour=self._limits.failures_per_hour,
        )

    def _look(self, names: Sequence[str]) -> tuple[dict[str, bytes | None], Head | None, Head]:
        """The keys of one moment, and what `end_of` says; what another writes between two reads is no misfit."""
        before: object = None
        for _ in range(_LOOKS):
            # No transaction: a server that is full refuses to begin one.
            with self._redis.pipeline(transaction=False) as both:
                both.mget(names)
                both.xrevrange(self.stream, count=1)
                stored, rows = both.execute()
            raw = dict(zip(names, stored, strict=True))
            head, end = end_of(raw[self.head], rows, self._audit)
            if head or before == (raw[self.head], rows):
                break
            before = (raw[self.head], rows)
        return raw, head, end
