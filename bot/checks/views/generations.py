"""The machines of a NodePool, one after the other, from NodeClaims, node ages and events alike.

Karpenter's versions write different events: 1.4 tells of nodes (`FailedDraining`, `InstanceTerminating`), 1.14 of
NodeClaims as well (`Launched`, `Drained`). So both names are followed, and the fuller of the two series counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

import msgspec

from bot.checks.evidence import of_event, quoted, stamp
from bot.checks.views.karpenter import NOMINATED, by_karpenter, pool_of
from bot.model.findings import Evidence
from bot.model.objects import Event, Node, NodeClaim, ref_of
from bot.model.objects.meta import word_of
from bot.model.refs import Ref
from bot.model.snapshot import Snapshot, known

_BORN = frozenset({"Launched", "RegisteredNode"})
_ENDED = frozenset(
    {"FailedDraining", "TerminationGracePeriodExpiring", "InstanceTerminating", "Drained", "RemovingNode"}
)
#: Events that Karpenter writes about its own machines only; others (conditions that turn) it writes about any node.
_ITS_OWN = _ENDED - {"RemovingNode"} | {
    "DisruptionBlocked",
    "DisruptionTerminating",
    "NodeRepairBlocked",
    "Unconsolidatable",
}
_CHOOSING = frozenset({"DisruptionTerminating", "DisruptionLaunching", "DisruptionWaitingReadiness", "Disrupted"})
_CHOSEN = re.compile(r"\b(Underutilized|Empty|Drift\w*|Expir\w*|Consolidat\w*)\b")
_INTERRUPTED = re.compile(r"^(Spot|Instance(Stopping|Unhealthy|Scheduled)|CapacityReservation)")
_DEADLINE = re.compile(r"All pods will be deleted by (\S+)")
_ASSIGNED = re.compile(r" to (\S+)$")
_GENERATED = re.compile(r"^(.+)-[a-z0-9]{5}$")
_TERMINATION = "karpenter.sh/nodeclaim-termination-timestamp"


class Life(msgspec.Struct, frozen=True, kw_only=True):
    """One machine, under its node's or its NodeClaim's name.

    `chosen` says that Karpenter told another reason for its end (consolidation, drift, interruption);
    `forced` that pods were deleted past their budgets, as repair does.
    """

    ref: Ref
    born: datetime | None
    ended: datetime | None
    chosen: bool
    forced: bool
    evidence: tuple[Evidence, ...]

    @property
    def end(self) -> Evidence | None:
        """What shows when it ended."""
        return next((one for one in self.evidence if self.ended and one.first_seen == self.ended), None)


class History(msgspec.Struct, frozen=True, kw_only=True):
    """All machines of one pool that anything still tells of, oldest first."""

    pool: Ref
    nodes: tuple[Life, ...]
    claims: tuple[Life, ...]

    @property
    def refs(self) -> Mapping[str, tuple[Ref, ...]]:
        """Every machine's names, so that a question about one that is gone finds its pool."""
        return {"node": tuple(one.ref for one in self.nodes), "nodeclaim": tuple(one.ref for one in self.claims)}


class _Track:
    """What is gathered about one name."""

    def __init__(self, ref: Ref) -> None:
        self.ref = ref
        self.pool: Ref | None = None
        self.born: datetime | None = None
        self.ended: datetime | None = None
        self.chosen = False
        self.forced = False
        self.karpenter = False
        self.evidence: list[Evidence] = []

    def life(self) -> Life:
        return Life(
            ref=self.ref,
            born=self.born,
            ended=self.ended,
            chosen=self.chosen,
            forced=self.forced,
            evidence=tuple(sorted(self.evidence, key=lambda one: (str(one.first_seen or ""), one.field, one.quote))),
        )


class _Tracks:
    """Every name of a machine, and which node belongs to which NodeClaim."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.tracks: dict[Ref, _Track] = {}
        self.claim_of: dict[str, str] = {}
        self.nominated: dict[Ref, str] = {}

    def track(self, ref: Ref) -> _Track:
        return self.tracks.setdefault(ref, _Track(ref))

    def gather(self) -> None:
        self._objects()
        told = [event for event in known(self.snapshot.events) if _is_told(event)]
        for event in sorted(told, key=lambda one: (str(one.first or ""), one.name)):
            if event.involved_object.kind != "Pod":
                _tell(self.track(Ref(word_of(event.involved_object.kind), event.involved_object.name)), event)
            elif hit := NOMINATED.search(event.message):
                self.nominated[_pod(event)] = hit[1]
        self._assign()
        self._place()

    def _objects(self) -> None:
        things: list[Node | NodeClaim] = [*known(self.snapshot.nodeclaims), *known(self.snapshot.nodes)]
        for thing in things:
            pool = pool_of(thing)
            if pool is None:
                continue
            one = self.track(ref_of(thing))
            one.pool, one.born, one.ended = pool, thing.metadata.creation_timestamp, thing.metadata.deletion_timestamp
            one.evidence += _dates(one)
            for owner in thing.metadata.owner_references:
                if owner.kind == "NodeClaim":
                    self.claim_of[thing.name] = owner.name
        for claim in known(self.snapshot.nodeclaims):
            one = self.track(ref_of(claim))
            one.chosen = any(had.type == "DisruptionReason" for had in claim.status.conditions)
            one.forced = forced_by_repair(claim.metadata.annotations.get(_TERMINATION, ""), one.ended)
            if claim.status.node_name:
                self.claim_of[claim.status.node_name] = claim.name

    def _assign(self) -> None:
        """Which NodeClaim became which node: a pod was nominated to the one and scheduled to the other."""
        for event in known(self.snapshot.events):
            claim = self.nominated.get(_pod(event)) if event.reason == "Scheduled" else None
            if claim and (hit := _ASSIGNED.search(event.message)):
                self.claim_of.setdefault(hit[1], claim)
        for pod in known(self.snapshot.pods) if self.nominated else ():
            if pod.spec.node_name and (claim := self.nominated.get(ref_of(pod))):
                self.claim_of.setdefault(pod.spec.node_name, claim)

    def _place(self) -> None:
        """Give every name its pool; one that only events tell of gets it over its NodeClaim, or the only pool."""
        pools = known(self.snapshot.nodepools)
        only = Ref("nodepool", pools[0].name) if len(pools) == 1 else None
        others = {node.name for node in known(self.snapshot.nodes) if pool_of(node) is None}
        for one in self.tracks.values():
            if one.pool is None and one.ref.kind == "nodeclaim":
                one.pool = _pool_in_name(one.ref.name)
        for one in self.tracks.values():
            if one.pool is None and one.ref.kind == "node" and one.ref.name not in others:
                claim = self.tracks.get(Ref("nodeclaim", self.claim_of.get(one.ref.name, "")))
                named = _pool_in_name(self.claim_of.get(one.ref.name, ""))
                one.pool = (claim and claim.pool) or named or (only if one.karpenter else None)


def _is_told(event: Event) -> bool:
    """Whether it is about a machine by its name (aggregated ones have none), or says where a pod should go."""
    about = event.involved_object
    return bool(about.name) and (about.kind in ("Node", "NodeClaim") or event.reason == "Nominated")


def _pod(event: Event) -> Ref:
    return Ref("pod", event.involved_object.name, event.involved_object.namespace)


def _dates(one: _Track) -> list[Evidence]:
    fields = (("metadata.creationTimestamp", one.born), ("metadata.deletionTimestamp", one.ended))
    return [quoted(one.ref, field, stamp(when), when) for field, when in fields if when]


def _pool_in_name(claim: str) -> Ref | None:
    """Karpenter names a NodeClaim after its pool, with five letters behind it."""
    hit = _GENERATED.match(claim)
    return Ref("nodepool", hit[1]) if hit else None


def _tell(one: _Track, event: Event) -> None:
    one.karpenter = one.karpenter or (by_karpenter(event) and event.reason in _ITS_OWN)
    when = event.first
    one.chosen = one.chosen or _is_chosen(event)
    if hit := _DEADLINE.search(event.message):
        one.forced = one.forced or forced_by_repair(hit[1], when)
    if when is None or event.reason not in _BORN | _ENDED:
        return
    if event.reason in _BORN:
        one.born = min(one.born or when, when)
    else:
        one.ended = min(one.ended or when, when)
    one.evidence.append(of_event(one.ref, event))


def _is_chosen(event: Event) -> bool:
    told = event.reason in _CHOOSING and _CHOSEN.search(event.message)
    return bool(told or _INTERRUPTED.match(event.reason))


def forced_by_repair(deadline: str, deleted: datetime | None) -> bool:
    """Whether a machine's termination time is its deletion: node repair sets it so, and waits for nothing.

    Source: node health controller of kubernetes-sigs/karpenter, v1.14.1.
    """
    if not deadline or deleted is None:
        return False
    try:
        return datetime.fromisoformat(deadline) <= deleted + timedelta(seconds=5)
    except ValueError:
        return False


def histories(snapshot: Snapshot) -> dict[Ref, History]:
    """The machines of every pool, by pool."""
    tracks = _Tracks(snapshot)
    tracks.gather()
    found: dict[Ref, list[Life]] = {}
    for one in tracks.tracks.values():
        if one.pool is not None:
            found.setdefault(one.pool, []).append(one.life())
    return {pool: _history(pool, lives) for pool, lives in sorted(found.items())}


def _history(pool: Ref, lives: Iterable[Life]) -> History:
    ordered = sorted(lives, key=lambda one: (str(one.born or one.ended or ""), one.ref))
    return History(
        pool=pool,
        nodes=tuple(one for one in ordered if one.ref.kind == "node"),
        claims=tuple(one for one in ordered if one.ref.kind == "nodeclaim"),
    )
