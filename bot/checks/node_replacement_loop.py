"""Are the nodes of a pool replaced again and again?

Scale-up, consolidation, drift, an interruption and a single replacement are none. What drives the loop is another
question; that capacity does not is answered here, for who sees new machines again and again thinks of it first.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from bot.checks.check import Answer, Check, unread
from bot.checks.evidence import of_condition
from bot.checks.views.generations import Life
from bot.checks.views.karpenter import karpenter_seen, pool_of
from bot.checks.views.loop import Loop, loops, span
from bot.checks.views.repair import due_by_pool
from bot.model.findings import Code, Evidence, Finding, Kind, Onset, Severity
from bot.model.objects import NodeClaim, condition, ref_of
from bot.model.sections import Section
from bot.model.snapshot import Snapshot, known

NODE_REPLACEMENT_LOOP = Code("node-replacement-loop")
REPLACEMENTS = Code("replacements")
INTERVAL_DIFFERS = Code("interval-differs")
CAPACITY = Code("capacity")
DO_NOT_DELETE_NODECLAIMS = Code("do-not-delete-nodeclaims")
#: What a machine needs beside the toleration: to boot, to be marked, to be drained.
BESIDE = timedelta(minutes=15)
#: Evidence of one finding that is worth showing.
SHOWN = 6
_HISTORY = (Section.NODECLAIMS, Section.EVENTS)


def run(snapshot: Snapshot) -> Answer:
    """One loop for each pool that has one; "cannot tell" where the history could not be read."""
    found = loops(snapshot)
    dues = due_by_pool(snapshot)
    for pool, loop in found.items():
        row = dues.get(pool, ())
        toleration = row[0].policy.toleration if row else None
        yield _fault(loop)
        yield _replacements(loop, toleration)
        if toleration and loop.interval and not toleration <= loop.interval <= toleration + BESIDE:
            yield _differs(loop, loop.interval, toleration)
        yield Finding(
            code=DO_NOT_DELETE_NODECLAIMS,
            subject=pool,
            kind=Kind.DO_NOT,
            severity=Severity.INFO,
            evidence=_ends(loop)[-1:],
        )
        yield from _capacity(snapshot, loop)
    if snapshot.unknown(_HISTORY) and not found:
        yield unread(CHECK.name, (NODE_REPLACEMENT_LOOP,), snapshot, _HISTORY)


def _fault(loop: Loop) -> Finding:
    return Finding(
        code=NODE_REPLACEMENT_LOOP,
        subject=loop.history.pool,
        severity=Severity.CRITICAL,
        onset=Onset(loop.first, _source(loop.replaced[0])),
        evidence=_ends(loop),
        values=_values(loop),
        refs=loop.history.refs,
    )


def _replacements(loop: Loop, toleration: timedelta | None) -> Finding:
    return Finding(
        code=REPLACEMENTS,
        subject=loop.history.pool,
        kind=Kind.FACT,
        severity=Severity.INFO,
        evidence=_births(loop),
        values={**_values(loop), "toleration": "?", **_lengths(toleration=toleration)},
        refs=loop.history.refs,
    )


def _differs(loop: Loop, interval: timedelta, toleration: timedelta) -> Finding:
    return Finding(
        code=INTERVAL_DIFFERS,
        subject=loop.history.pool,
        kind=Kind.FACT,
        severity=Severity.INFO,
        values=_lengths(interval=interval, toleration=toleration),
    )


def _values(loop: Loop) -> dict[str, str | int]:
    told: dict[str, str | int] = {"count": len(loop.replaced), "interval": "?"}
    return {**told, **_lengths(interval=loop.interval)}


def _lengths(**lengths: timedelta | None) -> dict[str, str | int]:
    """Each length of time as words write it, and in seconds for whoever reckons with it."""
    known_ones = [(name, one) for name, one in lengths.items() if one is not None]
    spans: dict[str, str | int] = {name: span(one) for name, one in known_ones}
    return {**spans, **{f"{name}_seconds": int(one.total_seconds()) for name, one in known_ones}}


def _source(one: Life) -> str:
    """Where the time of a machine's end stands."""
    return f"{one.end.source} {one.end.field}, {one.end.object.name}" if one.end else ""


def _ends(loop: Loop) -> tuple[Evidence, ...]:
    """What shows each machine's end."""
    return tuple(one.end for one in loop.replaced[-SHOWN:] if one.end)


def _births(loop: Loop) -> tuple[Evidence, ...]:
    """The age of what is there now."""
    alive: list[Life] = [one for one in (*loop.history.claims, *loop.history.nodes) if one.ended is None]
    return tuple(one.evidence[0] for one in alive[-2:] if one.evidence)


def _capacity(snapshot: Snapshot, loop: Loop) -> Iterator[Finding]:
    """Ruled out where every NodeClaim of the pool was launched and no event tells of a lack."""
    if snapshot.unknown(_HISTORY):
        return
    claims = sorted(known(snapshot.nodeclaims), key=lambda claim: claim.name)
    claims = [claim for claim in claims if pool_of(claim) == loop.history.pool]
    lacking = any(event.reason == "InsufficientCapacityError" for event in known(snapshot.events))
    launched = [evidence for claim in claims if (evidence := _launched(claim))]
    if claims and len(launched) == len(claims) and not lacking:
        yield Finding(
            code=CAPACITY,
            subject=loop.history.pool,
            kind=Kind.RULED_OUT,
            severity=Severity.INFO,
            evidence=tuple(launched),
        )


def _launched(claim: NodeClaim) -> Evidence | None:
    one = condition(claim.status.conditions, "Launched")
    if one is None or one.status != "True":
        return None
    return of_condition(ref_of(claim), one)


CHECK = Check(
    name="node-replacement-loop",
    codes=(NODE_REPLACEMENT_LOOP, REPLACEMENTS, INTERVAL_DIFFERS, CAPACITY, DO_NOT_DELETE_NODECLAIMS),
    reads=(),
    also_reads=(Section.NODES, Section.NODECLAIMS, Section.EVENTS, Section.NODEPOOLS, Section.PODS),
    applies=karpenter_seen,
    run=run,
)
