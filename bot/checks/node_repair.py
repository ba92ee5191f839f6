"""Does Karpenter's node repair delete the nodes of a pool, by which row of its policy, and when is the next?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from bot.checks.check import Answer, Check
from bot.checks.evidence import quoted, stamp
from bot.checks.views.generations import History, histories
from bot.checks.views.gpu_conditions import GPU_CONDITION_FALSE
from bot.checks.views.karpenter import Gate, GateReading, karpenter_seen, node_repair_gate
from bot.checks.views.loop import Loop, loops, span
from bot.checks.views.repair import Breaker, Due, breaker_of, due_by_pool, going
from bot.model.findings import Blind, Code, Evidence, Finding, Kind, Onset, Severity
from bot.model.objects import Node, NodeClaim, ref_of
from bot.model.refs import Ref
from bot.model.refs import node as node_ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot

NODE_REPAIR_DELETES = Code("node-repair-deletes")
REPAIR_POLICY = Code("repair-policy")
REPAIR_GATE = Code("repair-gate")
REPAIR_GATE_OFF = Code("repair-gate-off")
NEXT_DELETION = Code("next-deletion")
DELETION_RUNNING = Code("deletion-running")
KARPENTER_NODE_REPAIR = Code("karpenter-node-repair")
#: The nodes that `repair-gate-off` names.
HELD = "held"
_COMMAND = "kubectl get deploy -A -o yaml | grep -A1 FEATURE_GATES"


class _Pool(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one pool; `going` is what is being deleted, by the name of the node."""

    ref: Ref
    dues: tuple[Due, ...]
    going: Mapping[str, Node | NodeClaim]
    history: History | None
    loop: Loop | None
    gate: GateReading
    breaker: Breaker

    @property
    def is_off(self) -> bool:
        """Whether repair does nothing from now on."""
        return self.gate.state is Gate.OFF

    @property
    def forced(self) -> tuple[Evidence, ...]:
        """Deletions that went past every budget while the loop ran, as only repair and a grace period of zero do."""
        lives = (*self.history.nodes, *self.history.claims) if self.history else ()
        return tuple(one.end for one in lives if one.forced and not one.chosen and one.end)

    @property
    def deletes(self) -> bool:
        """Repair is seen at work, or its gate is on and a row fires that the breaker lets through."""
        at_work = bool(self.forced and (self.dues or self.loop))
        lets = self.breaker.will_pass or self.loop is not None
        return at_work or (self.gate.state is Gate.ON and bool(self.dues) and lets)


def run(snapshot: Snapshot) -> Answer:
    """For each pool on which a row of the policy fires, or whose nodes go one after the other."""
    gate, dues, looping, told = node_repair_gate(snapshot), due_by_pool(snapshot), loops(snapshot), histories(snapshot)
    leaving = going(snapshot)
    for ref in sorted({*dues, *looping}):
        pool = _Pool(
            ref=ref,
            dues=dues.get(ref, ()),
            going=leaving,
            history=told.get(ref),
            loop=looping.get(ref),
            gate=gate,
            breaker=breaker_of(snapshot, ref),
        )
        yield from _about(pool)


def _about(pool: _Pool) -> Iterator[Finding | Blind]:
    if pool.deletes:
        yield _fault(pool)
        if not pool.is_off:
            yield _acting(pool)
    yield from _unsure(pool)
    if pool.gate.state is not Gate.UNKNOWN:
        yield _gate(pool)
    if pool.deletes or pool.loop:
        yield from _facts(pool)


def _gate(pool: _Pool) -> Finding:
    """How the gate stands; one that is off holds back the nodes which would go if it were on."""
    refs: dict[str, tuple[Ref, ...]] = {"deployment": (pool.gate.deployment,)} if pool.gate.deployment else {}
    if pool.is_off and pool.breaker.will_pass:
        refs[HELD] = tuple(node_ref(due.node.name) for due in pool.dues if due.node.name not in pool.going)
    return Finding(
        code=REPAIR_GATE_OFF if pool.is_off else REPAIR_GATE,
        subject=pool.ref,
        kind=Kind.FACT,
        severity=Severity.INFO,
        evidence=pool.gate.evidence,
        values=pool.gate.values,
        refs=refs,
    )


def _unsure(pool: _Pool) -> Iterator[Blind]:
    """A gate that is off now may have been on while the nodes went: whoever turned it off did so to stop them."""
    if pool.gate.state is Gate.UNKNOWN and (pool.deletes or pool.dues):
        code = REPAIR_GATE if pool.deletes else NODE_REPAIR_DELETES
        yield _blind(pool, code, why="repair-gate-not-seen", command=_COMMAND)
    elif pool.is_off and pool.loop and not pool.deletes:
        karpenter = pool.gate.evidence[0].object
        command = f"kubectl rollout history -n {karpenter.namespace} deploy/{karpenter.name}"
        yield _blind(pool, NODE_REPAIR_DELETES, why="repair-gate-off-now", command=command)
    elif not pool.deletes and not pool.is_off and not pool.dues:
        watch = "kubectl get nodes -w"
        yield _blind(pool, NODE_REPAIR_DELETES, GPU_CONDITION_FALSE, why="nodes-too-young", command=watch)


def _fault(pool: _Pool) -> Finding:
    conditions = tuple(_evidence(due) for due in pool.dues)
    machines = pool.loop.history.refs if pool.loop else {}
    marked = tuple(node_ref(due.node.name) for due in pool.dues)
    return Finding(
        code=NODE_REPAIR_DELETES,
        subject=pool.ref,
        evidence=(*pool.gate.evidence, *conditions, *pool.forced[-3:]),
        values=_row(pool.dues[0]) if pool.dues else {},
        refs={**machines, "node": tuple(dict.fromkeys((*marked, *machines.get("node", ())))), "marked": marked},
    )


def _acting(pool: _Pool) -> Finding:
    evidence = pool.gate.evidence or pool.forced[-1:]
    return Finding(
        code=KARPENTER_NODE_REPAIR, subject=pool.ref, kind=Kind.ACTING, severity=Severity.INFO, evidence=evidence
    )


def _facts(pool: _Pool) -> Iterator[Finding]:
    if pool.dues and not pool.is_off:
        yield Finding(
            code=REPAIR_POLICY,
            subject=pool.ref,
            kind=Kind.FACT,
            severity=Severity.INFO,
            evidence=(_evidence(pool.dues[0]),),
            values=_row(pool.dues[0]),
            refs={"node": tuple(node_ref(due.node.name) for due in pool.dues)},
        )
    for due in pool.dues:
        if fact := _next(pool, due):
            yield fact


def _next(pool: _Pool, due: Due) -> Finding | None:
    """From when on the node goes; one whose deletion runs cannot be called back."""
    refs = {"nodepool": (pool.ref,)}
    node = node_ref(due.node.name)
    thing = pool.going.get(due.node.name)
    since = thing.metadata.deletion_timestamp if thing else None
    if thing and since:
        evidence = quoted(ref_of(thing), "metadata.deletionTimestamp", stamp(since), since)
        return Finding(
            code=DELETION_RUNNING,
            subject=node,
            kind=Kind.FACT,
            severity=Severity.INFO,
            onset=Onset(since, "metadata.deletionTimestamp"),
            evidence=(evidence,),
            values={"since": since},
            refs=refs,
        )
    if due.at is None or not pool.breaker.will_pass or pool.is_off:
        return None
    return Finding(
        code=NEXT_DELETION,
        subject=node,
        kind=Kind.FACT,
        severity=Severity.INFO,
        evidence=(_evidence(due),),
        values={"at": due.at, **_row(due)},
        refs=refs,
    )


def _row(due: Due) -> dict[str, str | int]:
    row = due.policy
    return {
        "condition": row.condition,
        "status": row.status,
        "toleration": span(row.toleration),
        "toleration_seconds": int(row.toleration.total_seconds()),
    }


def _evidence(due: Due) -> Evidence:
    one = due.condition
    turned = one.last_transition_time
    field = f"status.conditions[{one.type}].lastTransitionTime"
    return quoted(node_ref(due.node.name), field, stamp(turned) if turned else "", turned)


def _blind(pool: _Pool, *codes: Code, why: str, command: str) -> Blind:
    return Blind(
        check="node-repair", codes=codes, subject=pool.ref, why=why, command=command,
        sections=(Section.DEPLOYMENTS,) if why == "repair-gate-not-seen" else (), required=False,
    )  # fmt: skip


CHECK = Check(
    name="node-repair",
    codes=(
        NODE_REPAIR_DELETES,
        REPAIR_POLICY,
        REPAIR_GATE,
        REPAIR_GATE_OFF,
        NEXT_DELETION,
        DELETION_RUNNING,
        KARPENTER_NODE_REPAIR,
    ),
    reads=(Section.NODES,),
    also_reads=(Section.DEPLOYMENTS, Section.EVENTS, Section.NODECLAIMS, Section.NODEPOOLS),
    applies=karpenter_seen,
    run=run,
)
