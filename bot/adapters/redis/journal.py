"""Plans, freeze, budget and the chained audit in Redis, changed together or not at all.

One script compares what the decision rested on and writes. The audit's head is compared too, but an entry that somebody
else chained meanwhile makes no decision wrong: ours is then chained behind it, without deciding again.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import cast

import msgspec
import redis

from bot.adapters.redis import wakes
from bot.adapters.redis.auditlines import lines_since
from bot.adapters.redis.chaining import AuditedWrites, translated
from bot.adapters.redis.client import Keys
from bot.adapters.redis.commit import Command, Commit
from bot.adapters.redis.durability import Confirming, Durability
from bot.adapters.redis.shelf import Shelf, State
from bot.app.ports import Clock
from bot.app.repair.ports import Ledger
from bot.remedy.audit import AuditKey, shown
from bot.remedy.decision import Budget, Decision, Entry, Freeze
from bot.remedy.plan import Plan
from bot.remedy.rules import is_over
from bot.remedy.spending import spent

#: Signals beyond these are dropped: whoever wakes looks at all plans.
_WAKES = 100
_LIMITS = Budget()


class RedisJournal:
    """`app.repair.ports.Journal`.

    Args:
        client: a client for writes (`client.connect`); ops carry their own identity, so it may send them again.
        keys: the names of the keys.
        clock: decision time.
        audit_key: at least 32 bytes, kept nowhere near Redis.
        sink: takes every entry's line a second time, once it is in Redis; what it raises is `NotWritten`.
        limits: the budget's limits.
        keys_before: audit keys that were used before, while values made with them may be there.
        durability: what a write needs before it counts.
        replicas: how many replicas must have it.

    Raises:
        WeakKey: the key is too short.
    """

    def __init__(
        self,
        client: redis.Redis,
        keys: Keys,
        clock: Clock,
        audit_key: bytes,
        *,
        sink: Callable[[bytes], None],
        limits: Budget = _LIMITS,
        keys_before: Sequence[bytes] = (),
        durability: Durability = Durability.STRICT,
        replicas: int = 0,
    ) -> None:
        audit = [AuditKey(one) for one in (audit_key, *keys_before)]
        self._redis = client
        self._clock = clock
        self._shelf = Shelf(client, keys, audit, limits)
        self._confirming = Confirming(client, durability, replicas)
        self._writes = AuditedWrites(Commit(client), self._shelf, clock, audit[0], self._confirming, sink)
        self._wakes = wakes.key(keys)
        self.best_effort = durability is Durability.BEST_EFFORT

    def preflight(self) -> tuple[str, ...]:
        """Why nothing may be changed on the strength of this store, as reasons of the catalogue."""
        return self._confirming.preflight()

    def begin(self, op_id: str, entry: Entry, cluster: str = "") -> bool:
        """Begin the journal where there is none; False where there is one, or what is left of one.

        A store without a journal may be one that was wiped, so nothing begins it by itself: it is frozen. `cluster`
        says which one it is of (`bind`), where that is known.

        Raises:
            NotWritten: it is not known to be written.
        """
        shelf = self._shelf
        then: list[Command] = [
            ("SET", shelf.gen, uuid.uuid4().hex),
            ("SET", shelf.freeze, shelf.written(shelf.freeze, Freeze(frozen=False))),
        ]
        if cluster:
            then.append(("SET", shelf.cluster, shelf.written(shelf.cluster, cluster)))
        with translated():
            # Once more where it was not written: a write of ours, sent again after its reply got lost, answers so.
            for _ in range(2):
                state = shelf.read(self._clock.now(), op_id=op_id)
                if state.done is not None:
                    return self._writes.again(op_id, state.done)
                if not shelf.is_blank():
                    return False
                if self._writes.write(op_id, state, [entry], then=then):
                    return True
        return False

    def fits(self) -> bool:
        """Whether the audit's last entry was made with a key of ours; yes where there is none yet.

        A look and nothing else: with a mistyped key every other read would find an alarm, and write it down with that
        key into an audit which then fits neither.

        Raises:
            NotWritten: the store is out of reach.
        """
        with translated():
            return self._shelf.ends_in_ours()

    def cluster(self) -> str | None:
        """Which cluster this journal is of (`bind`): empty where nobody has said so yet, None without a journal.

        Raises:
            NotWritten: the store is out of reach.
        """
        with translated():
            state = self._writes.state()
        return state.cluster if state.is_begun else None

    def bind(self, op_id: str, cluster: str, entry: Entry) -> str:
        """Keep which cluster this journal is of, by the uid of its namespace `kube-system`: once, and then for good.

        Returns:
            the one that is kept, which may be another.

        Raises:
            NotBegun: there is no journal.
            NotWritten: it is not known to be written.
        """
        name = self._shelf.cluster

        def attempt(state: State) -> bool | None:
            if state.cluster:
                return True
            then: list[Command] = [("SET", name, self._shelf.written(name, cluster))]
            return self._writes.write(op_id, state, [entry], then=then) or None

        self._writes.until_settled(attempt, op_id)
        return self.cluster() or ""

    def read(self, plan_id: str) -> Ledger:
        """The state now; see the port. An alarm is written down as a freeze as soon as it is seen.

        Raises:
            NotWritten: the store is out of reach, or the plan unreadable.
        """
        with translated():
            state = self._writes.state(plan_id=plan_id)
        return Ledger(plan=state.plan, freeze=state.freeze, budget=state.budget, head=str(state.head))

    def known(self, op_id: str) -> bool:
        """Whether this op was carried out in the last seven days.

        Raises:
            NotWritten: the store is out of reach, or somebody else says so.
        """
        return self._done(op_id) is not None

    def noted(self, op_id: str) -> tuple[Mapping[str, str], ...]:
        """What the audit has of this op, as `entries` has it; nothing of one that is not known.

        Raises:
            NotWritten: the store is out of reach, or somebody else says that it was carried out.
        """
        return tuple(map(shown, self._done(op_id) or ()))

    def _done(self, op_id: str) -> tuple[bytes, ...] | None:
        """The lines that this op wrote; None of one that is not known."""
        with translated():
            done = cast("bytes | None", self._redis.get(self._shelf.op(op_id)))
        return None if done is None else self._shelf.op_lines(op_id, done)

    def commit(self, op_id: str, before: Ledger, decision: Decision) -> bool:
        """Write plan, entries, budget and work in one step; see the port.

        Raises:
            NotWritten: it is not known to be written.
        """
        plan_id = decision.plan.id

        def attempt(state: State) -> bool | None:
            if not _unchanged(before, state):
                return False
            first, then = self._changes(before, state, decision) if decision.changed else ((), ())
            over = self._shelf.plan(plan_id) if decision.changed and is_over(decision.plan) else ""
            return self._writes.write(op_id, state, decision.entries, first=first, then=then, over=over) or None

        return self._writes.until_settled(attempt, op_id, plan_id)

    def note(self, op_id: str, *entries: Entry) -> None:
        """Chain entries that change no plan.

        Raises:
            NotWritten: it is not known to be written.
        """
        self._writes.until_settled(lambda state: self._writes.write(op_id, state, entries) or None, op_id)

    def freeze(self, op_id: str, before: Freeze, after: Freeze, entry: Entry) -> bool:
        """Change the freeze, audited; False if it changed since.

        Raises:
            NotWritten: it is not known to be written.
        """

        def attempt(state: State) -> bool | None:
            if before != state.freeze:
                return False
            stored = msgspec.structs.replace(after, revision=before.revision + 1)
            then: list[Command] = [("SET", self._shelf.freeze, self._shelf.written(self._shelf.freeze, stored))]
            return self._writes.write(op_id, state, [entry], then=then) or None

        return self._writes.until_settled(attempt, op_id)

    def plans(self, *, incident: str = "") -> tuple[Plan, ...]:
        """Plans that are not over, or all of one incident, oldest first.

        A plan is not over either while a step of its is in flight or unknown, or a temporary change waits to be taken
        back. An unreadable plan is logged and left out: it cannot run, and it must not stop the others.

        Raises:
            NotWritten: the store is out of reach.
        """
        with translated():
            found = sorted(self._shelf.plans(incident), key=lambda one: (one.created_at, one.id))
        return tuple(found)

    def entries(self, *, incident: str = "") -> tuple[Mapping[str, str], ...]:
        """The audit's entries as they are stored, oldest first; of one incident, or all.

        A line that is no entry appears as `{"unreadable": its text}`: whoever reads the audit must see it.

        Raises:
            NotWritten: the store is out of reach.
        """
        found = [shown(line) for line in self.audit(since=self.since(incident))[0]]
        return tuple(one for one in found if not incident or one.get("incident", incident) == incident)

    def since(self, incident: str) -> int:
        """The number of the incident's first entry; 1, where all begins, if that is not kept or no incident is named.

        Raises:
            NotWritten: the store is out of reach.
        """
        with translated():
            return self._shelf.first_of(incident) if incident else 1

    def audit(self, *, since: int = 1) -> tuple[tuple[bytes, ...], bytes | None]:
        """The lines of the audit from this number on, and its head, as they are stored, of one moment.

        Raises:
            NotWritten: the store is out of reach.
        """
        with translated():
            return lines_since(self._redis, self._shelf, since)

    def _changes(self, before: Ledger, state: State, decision: Decision) -> tuple[Sequence[Command], Sequence[Command]]:
        """Commands that may fail, which come first, and those that cannot."""
        shelf, revision = self._shelf, (before.plan.revision if before.plan else 0) + 1
        plan = msgspec.structs.replace(decision.plan, revision=revision)
        first: list[Command] = [
            ("SREM" if is_over(plan) else "SADD", shelf.open, plan.id),
            ("SADD", shelf.of_incident(plan.incident), plan.id),
            *(("LPUSH", self._wakes, f"{plan.id} {step}") for step in decision.work),
        ]
        if decision.work:
            first.append(("LTRIM", self._wakes, 0, _WAKES - 1))
        then: list[Command] = [("SET", shelf.plan(plan.id), shelf.written(shelf.plan(plan.id), plan))]
        if decision.freeze is not None:
            frozen = msgspec.structs.replace(decision.freeze, revision=before.freeze.revision + 1)
            then.append(("SET", shelf.freeze, shelf.written(shelf.freeze, frozen)))
        budget = spent(state.budget, before.plan, plan, self._clock.now())
        if budget != state.budget:
            budget = msgspec.structs.replace(budget, revision=budget.revision + 1)
            then.append(("SET", shelf.budget, shelf.written(shelf.budget, budget)))
        return first, then


def _unchanged(before: Ledger, state: State) -> bool:
    """Whether what a decision rests on is still so; how much of the budget is old changes by itself."""
    was, now = before.plan, state.plan
    return (
        (was.revision if was else 0) == (now.revision if now else 0)
        and before.freeze == state.freeze
        and before.budget.revision == state.budget.revision
    )
