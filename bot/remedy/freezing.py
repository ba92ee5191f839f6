"""Stopping everything, and letting it go on: one person stops, two let it go on."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType

import msgspec

from bot.remedy.decision import Entry, Freeze, FreezeDecision, Policy
from bot.remedy.events import Person
from bot.remedy.plan import BOT, Actor, Identity, joined
from bot.remedy.rules import WORD_KEPT, Refused, doubts, may_not, untold

#: How many people let it go on, except in a team of one.
TO_UNFREEZE = 2


def freeze(before: Freeze, actor: Actor, person: Person, why: str, now: datetime) -> FreezeDecision:
    """One person is enough; words for lifting an earlier freeze are void."""
    if refusal := may_not(actor, person):
        return _refused(before, actor, refusal, now)
    if not why.strip():
        return _refused(before, actor, Refused("repair-reason-missing", {"who": actor.id}), now)
    reason = "repair-freeze-renewed" if before.frozen else "repair-freeze-set"
    return _decided(_frozen(before, why, actor, now), actor, "freeze", reason, {"who": actor.id, "why": why}, now)


def by_bot(before: Freeze, why: str, now: datetime) -> Freeze:
    """The freeze that the bot puts on itself; `why` is a reason key."""
    return _frozen(before, why, BOT, now)


def unfreeze(
    before: Freeze,
    actor: Actor,
    person: Person,
    now: datetime,
    policy: Policy,
    *,
    pressed: datetime,
    known: Mapping[str, Identity] = MappingProxyType({}),
) -> FreezeDecision:
    """Two distinct people, or one in a team of one, who pressed after it was frozen.

    Args:
        before: the freeze as it is.
        actor: who wants to go on.
        person: what is known of them, read just now.
        now: decision time.
        policy: the operator's rules.
        pressed: when they pressed, by decision time.
        known: who those are, read anew, who want it already.
    """
    if refusal := may_not(actor, person):
        return _refused(before, actor, refusal, now)
    if not before.frozen:
        return _refused(before, actor, Refused("repair-not-frozen", {"who": actor.id}), now)
    if before.since is not None and pressed < before.since:
        values = {"who": actor.id, "since": f"{before.since:%Y-%m-%d %H:%M:%S} UTC"}
        return _refused(before, actor, Refused("repair-unfreeze-before-freeze", values), now)
    needed = 1 if policy.solo else TO_UNFREEZE
    known = joined(before.known, {**known, actor.id: person.identity})
    persons = policy.persons(known)
    if needed > 1 and (refusal := untold(persons, actor)):
        return _refused(before, actor, refusal, now)
    votes = (*before.unfreeze_votes, actor)
    count = persons.count(votes)
    values = {"who": actor.id, "have": str(count.have), "need": str(needed)}
    if count.have >= needed:
        after = msgspec.structs.replace(before, frozen=False, why="", by=None, unfreeze_votes=(), known={}, since=None)
        return _decided(after, actor, "unfreeze", "repair-unfrozen", values, now)
    if any(persons.same(actor, one) for one in before.unfreeze_votes):
        return _refused(before, actor, Refused("repair-unfreeze-second-needed", values), now)
    reason = "repair-unfreeze-second-needed"
    if count.unsure:
        reason, values = WORD_KEPT, {**values, **doubts(count, needed)}
    after = msgspec.structs.replace(before, unfreeze_votes=votes, known=known)
    return _decided(after, actor, "unfreeze-vote", reason, values, now)


def _frozen(before: Freeze, why: str, by: Actor, now: datetime) -> Freeze:
    return msgspec.structs.replace(before, frozen=True, why=why, by=by, unfreeze_votes=(), known={}, since=now)


def _refused(before: Freeze, actor: Actor, refusal: Refused, now: datetime) -> FreezeDecision:
    decision = _decided(before, actor, "refused", refusal.reason, refusal.values, now)
    return msgspec.structs.replace(decision, changed=False)


def _decided(
    after: Freeze, actor: Actor, kind: str, reason: str, values: Mapping[str, str], now: datetime
) -> FreezeDecision:
    entry = Entry(type=kind, at=now, actor=actor, details={**values, "reason": reason})
    return FreezeDecision(freeze=after, changed=True, reason=reason, entry=entry, values=values)
