"""Does the breaker of Karpenter's node repair let this pool be repaired?

A blocked repair explains why nothing is replaced, not why the nodes are unhealthy. One that is over, or of nodes that
all look well, is a fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta

from bot.checks.check import Answer, Check
from bot.checks.evidence import of_condition, of_event
from bot.checks.views.generations import histories
from bot.checks.views.karpenter import karpenter_seen
from bot.checks.views.loop import loops
from bot.checks.views.repair import breaker_of, due_by_pool, going
from bot.model.findings import Code, Finding, Kind, Severity
from bot.model.objects import Event
from bot.model.refs import CLUSTER, Ref
from bot.model.refs import node as node_ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot, known

NODE_REPAIR_BLOCKED = Code("node-repair-blocked")
REPAIR_BREAKER = Code("repair-breaker")
#: The nodes that `repair-breaker` names as held back for now: they go once those whose deletion runs are gone.
WAITING = "waiting"
#: The nodes that it names as held back until people free them.
STUCK = "stuck"
#: Both spellings are Karpenter's own.
_BLOCKED = re.compile(r"more th[ae]n 20% nodes are unhealthy in the (nodepool|cluster)")
#: Karpenter writes the event again after 15 minutes at the latest: an older one is over.
_STANDS = timedelta(minutes=20)

#: Unhealthy nodes that are quoted.
_SHOWN = 6


def run(snapshot: Snapshot) -> Answer:
    """The breaker's arithmetic for each pool in trouble, and whether an event says that it blocks."""
    dues, looping, leaving = due_by_pool(snapshot), loops(snapshot), going(snapshot)
    for pool in sorted({*dues, *looping}):
        one = breaker_of(snapshot, pool)
        marked = dues.get(pool, ())
        held = () if one.passes else tuple(due.node.name for due in marked if due.node.name not in leaving)
        refs = {"node": tuple(due.node.name for due in marked), WAITING if one.will_pass else STUCK: held}
        yield Finding(
            code=REPAIR_BREAKER,
            subject=pool,
            kind=Kind.FACT,
            severity=Severity.INFO,
            evidence=tuple(of_condition(node_ref(due.node.name), due.condition) for due in marked[:_SHOWN]),
            values={"nodes": one.nodes, "unhealthy": one.unhealthy, "allowed": one.allowed},
            refs={role: tuple(map(node_ref, names)) for role, names in refs.items() if names},
        )
    yield from _blocked(snapshot, frozenset({*dues, *looping}))


def _blocked(snapshot: Snapshot, troubled: frozenset[Ref]) -> Iterator[Finding]:
    pool_of = {one.ref.name: pool for pool, told in histories(snapshot).items() for one in told.nodes}
    found: dict[Ref, list[Event]] = {}
    for event in known(snapshot.events):
        if hit := _BLOCKED.search(event.message):
            pool = CLUSTER if hit[1] == "cluster" else pool_of.get(event.involved_object.name)
            if pool is not None:
                found.setdefault(pool, []).append(event)
    for pool, events in sorted(found.items()):
        newest = max(events, key=lambda event: (str(event.last or ""), event.name))
        in_trouble = pool in troubled or (pool == CLUSTER and bool(troubled))
        is_fresh = _is_fresh(snapshot, pool, newest)
        if not in_trouble and not is_fresh:
            continue
        stands = in_trouble and is_fresh
        yield Finding(
            code=NODE_REPAIR_BLOCKED,
            subject=pool,
            kind=Kind.FAULT if stands else Kind.FACT,
            severity=Severity.WARNING if stands else Severity.INFO,
            evidence=(of_event(node_ref(newest.involved_object.name), newest),),
            values={"message": newest.message},
            refs={"node": tuple(sorted({node_ref(event.involved_object.name) for event in events}))},
        )


def _is_fresh(snapshot: Snapshot, pool: Ref, event: Event) -> bool:
    """Whether the event tells of now: it is not old, and no node was taken since."""
    told = histories(snapshot).get(pool)
    ends = [one.ended for one in (told.nodes if told else ()) if one.ended]
    when = event.last
    return when is not None and snapshot.at - when <= _STANDS and not any(end > when for end in ends)


CHECK = Check(
    name="repair-breaker",
    codes=(NODE_REPAIR_BLOCKED, REPAIR_BREAKER),
    reads=(Section.NODES,),
    also_reads=(Section.EVENTS, Section.NODECLAIMS, Section.NODEPOOLS),
    of_all=(REPAIR_BREAKER,),
    applies=karpenter_seen,
    run=run,
)
