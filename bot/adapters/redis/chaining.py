"""Audited writes: entries chained to the audit's head together with what they tell of, once for each op.

Whatever an alarm says is made a freeze that all replicas see, before anything else is written.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
import redis
import structlog

from bot.adapters.redis.auditend import LINE
from bot.adapters.redis.commit import Command, Commit
from bot.adapters.redis.durability import Confirming, Unconfirmed
from bot.adapters.redis.shelf import Shelf, State
from bot.app.ports import Clock
from bot.app.repair.ports import NotBegun, NotWritten
from bot.remedy.audit import AuditKey, chain, sealed, sealed_value, value_digest
from bot.remedy.decision import Entry, Freeze
from bot.remedy.plan import BOT

_OP_SECONDS = 7 * 86_400
#: Each try that fails is another writer's that succeeded.
_TRIES = 200

_log = structlog.get_logger(__name__)


@contextmanager
def translated() -> Iterator[None]:
    """What the server does not confirm is `NotWritten`."""
    try:
        yield
    except (redis.ConnectionError, redis.TimeoutError) as why:
        raise NotWritten(f"store-unreachable {why}") from why
    except (redis.RedisError, Unconfirmed) as why:
        raise NotWritten(str(why)) from why


class AuditedWrites:
    """Writes with entries.

    Args:
        commit: the script.
        shelf: reads the keys.
        clock: decision time.
        key: what entries and head are made with.
        confirming: asks whether a write is durable.
        sink: takes every line a second time.
    """

    def __init__(
        self,
        commit: Commit,
        shelf: Shelf,
        clock: Clock,
        key: AuditKey,
        confirming: Confirming,
        sink: Callable[[bytes], None],
    ) -> None:
        self._commit = commit
        self._shelf = shelf
        self._clock = clock
        self._key = key
        self._confirming = confirming
        self._sink = sink

    def state(self, *, plan_id: str = "", op_id: str = "") -> State:
        """The state now, after any alarm was written down.

        Raises:
            NotWritten: the plan cannot be read.
            redis.RedisError: the server is out of reach.
        """
        state = self._shelf.read(self._clock.now(), plan_id=plan_id, op_id=op_id)
        # A look at a store without a journal writes nothing: it may be one that is just being set up.
        if not state.alarm or not state.is_begun or not self._latched(state):
            return state
        return self._shelf.read(self._clock.now(), plan_id=plan_id, op_id=op_id)

    def _latched(self, state: State) -> bool:
        """Make an alarm a freeze that all replicas see, and that stays until people lift it."""
        now, shelf = self._clock.now(), self._shelf
        state = shelf.anew(state)
        latch = Freeze(frozen=True, why=state.alarm, by=BOT, since=now, revision=state.freeze.revision + 1)
        budget = msgspec.structs.replace(state.budget, revision=state.budget.revision + 1)
        gen = state.raw[shelf.gen] or uuid.uuid4().hex.encode()
        then: list[Command] = [
            ("SET", shelf.freeze, shelf.written(shelf.freeze, latch)),
            ("SET", shelf.budget, shelf.written(shelf.budget, budget)),
            ("SET", shelf.gen, gen),
        ]
        if not state.cluster:
            # Somebody else wrote it or took it away; the bot's next start, or `audit init`, says anew which one it is.
            then.append(("DEL", shelf.cluster))
        entry = Entry(type="froze-itself", at=now, actor=BOT, details={"why": state.alarm})
        try:
            written = self.write(f"alarm-{uuid.uuid4().hex}", state, [entry], then=then)
        except redis.RedisError:
            # Whoever reads now is told of the freeze all the same; the next read tries again.
            _log.exception("alarm_not_written", alarm=state.alarm)
            return False
        except (Unconfirmed, NotWritten):
            # It is there, if only in memory; nothing runs on the strength of a freeze.
            _log.exception("alarm_not_confirmed", alarm=state.alarm)
            written = True
        if written:
            self._shelf.saw(gen.decode(), state.head.seq + 1, trusted=True)
        return written

    def until_settled(self, attempt: Callable[[State], bool | None], op_id: str, plan_id: str = "") -> bool:
        """Read and attempt until it is written, or refused for good; None means that others were faster.

        Raises:
            NotBegun: there is no journal.
            NotWritten: it is not known to be written.
        """
        with translated():
            for _ in range(_TRIES):
                state = self.state(plan_id=plan_id, op_id=op_id)
                if not state.is_begun:
                    raise NotBegun
                settled = self.again(op_id, state.done) if state.done is not None else attempt(state)
                if settled is not None:
                    return settled
        raise NotWritten("store-contended")

    def write(
        self,
        op_id: str,
        state: State,
        entries: Sequence[Entry],
        *,
        first: Sequence[Command] = (),
        then: Sequence[Command] = (),
        over: str = "",
    ) -> bool:
        """Chain the entries and write, if nothing that was read has changed. The head keeps what `then` writes in mind.

        Args:
            op_id: names the write.
            state: what was read.
            entries: what the audit says of it.
            first: commands that may fail: then nothing else is written, or the audit would tell what never was.
            then: commands that cannot fail: `SET` of a value, or `DEL`.
            over: the key of a plan that nothing can happen to any more, so that the head may forget it.

        Raises:
            NotWritten: the second sink refused; in Redis it is written.
            Unconfirmed: it is written, and not known to be durable.
            redis.RedisError: the server is out of reach.
        """
        shelf, links = self._shelf, chain(entries, state.head, self._key)
        lines = [one.line for one in links]
        then = [*(("SET", name, value) for name, value in shelf.resealed(state.raw)), *then]
        commands = [*first, *(("XADD", shelf.stream, "*", LINE, line) for line in lines), *then]
        for entry, one in zip(entries, links, strict=True):
            if entry.incident:
                since = shelf.since(entry.incident)
                commands.append(("SET", since, shelf.written(since, str(one.head.seq)), "NX"))
        beside = {name: digest for name, digest in _beside(state.head.beside, then).items() if name != over}
        head = msgspec.structs.replace(links[-1].head if links else state.head, beside=beside)
        commands.append(("SET", shelf.head, sealed(head, self._key)))
        op = shelf.op(op_id)
        commands.append(("SET", op, sealed_value(op, b"\n".join(lines), self._key), "EX", _OP_SECONDS))
        written, replies = self._commit.confirmed(state.raw, commands, self._confirming.commands())
        if written:
            self._told(lines, replies)
        return written

    def again(self, op_id: str, done: bytes) -> bool:
        """The op was carried out before, perhaps by one that died before it knew: make sure of what follows it.

        Raises:
            NotWritten: it is not known to have been carried out.
            redis.RedisError: the server is out of reach.
        """
        key = self._shelf.op(op_id)
        lines = self._shelf.op_lines(op_id, done)
        refresh: list[Command] = [("EXPIRE", key, _OP_SECONDS)]
        kept, replies = self._commit.confirmed({key: done}, refresh, self._confirming.commands())
        if not kept:
            raise NotWritten(f"store-op-expired {op_id}")
        self._told(lines, replies)
        return True

    def _told(self, lines: Sequence[bytes], replies: Sequence[Any]) -> None:
        for line in lines:
            try:
                self._sink(line)
            except OSError as why:
                raise NotWritten(f"store-second-sink {why}") from why
        self._confirming.check(replies)


def _beside(before: Mapping[str, str], commands: Sequence[Command]) -> Mapping[str, str]:
    """What the head says of the values beside the chain after these commands."""
    after = dict(before)
    for verb, name, *value in commands:
        if verb == "SET":
            stored = value[0]
            after[str(name)] = value_digest(stored if isinstance(stored, bytes) else str(stored).encode())
        else:
            after.pop(str(name), None)
    return after
