"""A pool after the repair of a replacement loop: no node carries the latched condition, none is replaced."""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.checks.evidence import NONE, of_condition, quoted
from bot.checks.views.generations import History, Life, histories
from bot.checks.views.gpu_conditions import BAD_STATUS
from bot.checks.views.karpenter import pool_of
from bot.checks.views.loop import span
from bot.model.findings import Evidence
from bot.model.objects import Node, condition, ref_of
from bot.model.refs import Ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot, known
from bot.remedy.probes.answer import ProbeAnswer, Question, holds, malformed, not_yet, unread
from bot.remedy.probes.objects import absent, asked
from bot.remedy.runbook import ProbeCall

#: The quiet that ends a loop, where the call does not say.
_QUIET = timedelta(minutes=50)
_SHOWN = 6


def _gone(snapshot: Snapshot, call: ProbeCall, target: Ref) -> ProbeAnswer:
    ref = asked(call, target, "node", "nodepool")
    if isinstance(ref, ProbeAnswer):
        return ref
    if ref.kind not in ("node", "nodepool"):
        return malformed(str(ref))
    if Section.NODES in snapshot.gaps:
        return unread(Section.NODES.value, snapshot.gaps[Section.NODES])
    kind = call.params["condition"]
    bad = call.params.get("status") or BAD_STATUS.get(kind, "False")
    nodes = [one for one in known(snapshot.nodes) if ref in (ref_of(one), pool_of(one))]
    marked = [(one, had) for one in nodes if (had := condition(one.status.conditions, kind)) and had.status == bad]
    values = {"subject": str(ref), "condition": kind, "nodes": ", ".join(one.name for one, _ in marked) or "-"}
    if marked:
        quotes = [of_condition(ref_of(one), had) for one, had in marked]
        return not_yet("repair-condition-there", values, *quotes[:_SHOWN])
    return holds("repair-condition-gone", values, *_without(snapshot, ref, nodes, kind))


def _without(snapshot: Snapshot, ref: Ref, nodes: list[Node], kind: str) -> list[Evidence]:
    """What shows it: each node's condition as it is now, or that no node is there to carry it."""
    if not nodes:
        return [absent(snapshot, ref)]
    seen = ((one, condition(one.status.conditions, kind)) for one in nodes[:_SHOWN])
    return [
        quoted(ref_of(one), f"status.conditions[{kind}]", had.status if had else NONE, last=snapshot.at)
        for one, had in seen
    ]


def _quiet(snapshot: Snapshot, call: ProbeCall, target: Ref) -> ProbeAnswer:
    """Nothing was created or deleted for long enough; ends that Karpenter chose (consolidation) do not count."""
    ref = asked(call, target, "nodepool")
    since = _moment(call.params.get("since", ""))
    if isinstance(ref, ProbeAnswer) or isinstance(since, ProbeAnswer):
        return ref if isinstance(ref, ProbeAnswer) else since  # type: ignore[return-value]
    for section in (Section.NODECLAIMS, Section.EVENTS):
        if section in snapshot.gaps:
            return unread(section.value, snapshot.gaps[section])
    history = histories(snapshot).get(ref)
    lives = (*history.claims, *history.nodes) if history else ()
    ends = [one for one in lives if one.ended and not one.chosen]
    times = [when for one in lives if (when := one.born)] + [one.ended for one in ends if one.ended]
    since = since if since and since <= snapshot.at else None
    going = [
        claim for claim in known(snapshot.nodeclaims) if pool_of(claim) == ref and claim.metadata.deletion_timestamp
    ]
    last = snapshot.at if going else max([*times, *([since] if since else [])], default=None)
    quiet = _quiet_for(snapshot, call)
    if isinstance(quiet, ProbeAnswer):
        return quiet
    counted = _replaced(history, since) if history else 0
    values = {
        "subject": str(ref),
        "quiet": span(quiet),
        "last": f"{last:%Y-%m-%d %H:%M:%S} UTC" if last else "-",
        "count": str(counted) if since else "-",
        "predicted": call.params.get("predicted", "-"),
    }
    evidence = _ends(snapshot, ref, ends, lives)
    if last is not None and snapshot.at - last < quiet:
        return not_yet("repair-not-quiet-yet", values, *evidence)
    return holds("repair-no-replacement", values, *evidence)


def _quiet_for(snapshot: Snapshot, call: ProbeCall) -> timedelta | ProbeAnswer:
    """So many times the longest toleration of a GPU's condition; without such a row of the policy, what is fixed."""
    fixed = timedelta(seconds=call.lasting) if call.lasting else _QUIET
    times = call.params.get("tolerations", "")
    if times and not (times.isdecimal() and int(times)):
        return malformed(f"tolerations={times}")
    rows = [one.toleration for one in snapshot.repair_policies if BAD_STATUS.get(one.condition) == one.status]
    return int(times) * max(rows) if times and rows else fixed


def _replaced(history: History, since: datetime | None) -> int:
    """How many deletions began since then, as `predicting.predict` counts them.

    The fuller series counts: Karpenter 1.4 tells of nodes only, and a node that is gone may not be known as the pool's.
    Of two that are as full the nodes': Karpenter writes of a node when its deletion begins, of a NodeClaim when it has
    drained.
    """
    fuller = max((history.nodes, history.claims), key=lambda series: len([one for one in series if one.ended]))
    return len([one for one in fuller if one.ended and not one.chosen and (since is None or one.ended >= since)])


def _ends(snapshot: Snapshot, pool: Ref, ends: list[Life], lives: tuple[Life, ...]) -> list[Evidence]:
    """The last ends, and the machines that live since then; of a pool without any, that there is none."""
    shown = [one.end for one in sorted(ends, key=lambda one: str(one.ended))[-_SHOWN:] if one.end]
    alive = [one.evidence[0] for one in lives if one.ended is None and one.evidence]
    return [*shown, *alive[-_SHOWN:]] or [absent(snapshot, Ref("nodeclaim", "", pool.name))]


def _moment(text: str) -> datetime | ProbeAnswer | None:
    if not text:
        return None
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return malformed(f"since={text}")
    return when if when.tzinfo else malformed(f"since={text}")


CONDITION_GONE = Question(
    holds_when="No node of the target, or of `nodepool`, carries the `condition` in its bad `status`.",
    ask=_gone,
    reads=(Section.NODES,),
    needs=frozenset({"condition"}),
    may=frozenset({"node", "nodepool", "status"}),
)
NO_REPLACEMENT = Question(
    holds_when="No machine of the pool came or went for so many `tolerations` of the repair policy, or for `lasting` "
    "seconds where it has no row about GPUs: in world time, counted from `since` at the earliest; how "
    "many deletions began since then is told beside what was `predicted`.",
    ask=_quiet,
    reads=(Section.NODECLAIMS, Section.EVENTS, Section.NODES),
    may=frozenset({"nodepool", "since", "predicted", "tolerations"}),
    lasts=True,
)
