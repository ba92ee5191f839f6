"""What an incident is: how it is known again, and what each event makes of it. Pure; the store is elsewhere.

An incident is one cluster, one root, one scope. The scope is what outlives the fault: a NodePool whose nodes are
replaced every ten minutes, otherwise the object itself.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TypeVar

import msgspec

from bot.model.diagnosis import Diagnosis
from bot.model.findings import Finding, Kind
from bot.model.incident import Incident, Place, State
from bot.model.refs import Ref

#: What an incident remembers at most; the oldest goes first. A loop of ten minutes fires 144 times a day.
_MOST_KEYS = 64
_MOST_SOURCES = 64
_MOST_ALERTS = 500
_MOST_STEPS = 200
_MOST_LABELLED = 50
_MOST_REFS = 16

T = TypeVar("T")


#: Faults of a node that its NodePool gives to every node alike, so that the next node has the same one. Others that
#: name a pool, such as a broken card, stay their node's own.
_POOL_WIDE = frozenset({"gpu-condition-false"})


def scope_of(finding: Finding) -> Ref:
    """What outlives the fault: the NodePool where that hands the fault from node to node, otherwise its subject."""
    pools = finding.refs.get("nodepool", ())
    return pools[0] if finding.code in _POOL_WIDE and len(pools) == 1 else finding.subject


def keys_of(diagnosis: Diagnosis) -> tuple[str, ...]:
    """What this diagnosis' incident is known by: `CODE SCOPE` of every root, then of its chain in the same scope.

    The chain belongs to it because the root moves along it: without a journal it is the dead kubelet of omen2, with
    one it is omen2's swap. Other scopes of the chain do not: two roots may well hit one VM.
    """
    roots = [one.finding for one in diagnosis.roots]
    keys = [_key(one) for one in roots]
    for root in roots:
        keys += _chain(diagnosis, root)
    return tuple(dict.fromkeys(keys))


def _chain(diagnosis: Diagnosis, root: Finding) -> list[str]:
    """The root and what it leads to, in its own scope."""
    fault = {one.key: one for one in diagnosis.findings if one.kind is Kind.FAULT}
    chain = (fault[one] for one in diagnosis.chain_of(root.key) if one in fault)
    return sorted(_key(one) for one in chain if scope_of(one) == scope_of(root))


def _key(finding: Finding) -> str:
    return f"{finding.code} {scope_of(finding)}"


def still_seen(incident: Incident, diagnosis: Diagnosis) -> bool:
    """Whether the bot itself still sees what this incident is about."""
    return not signs_seen(diagnosis).isdisjoint(incident.keys)


def cannot_tell(incident: Incident, diagnosis: Diagnosis) -> bool:
    """Whether something of it, or of what people left broken, may still be there: it could not be looked for."""
    untold = {str(code) for one in diagnosis.blind if one.required for code in one.codes}
    return may_hold(diagnosis, incident.keys) or not untold.isdisjoint(incident.left)


def may_hold(diagnosis: Diagnosis, signs: Iterable[str]) -> bool:
    """Whether any of these, as `CODE SCOPE`, could not be looked for.

    What could not be looked for on another object of the same kind keeps nothing of this one open.
    """
    return any(
        one.required and code in one.codes and (str(one.subject) == scope or one.subject.kind != kind)
        for one in diagnosis.blind
        for code, _, scope in (sign.partition(" ") for sign in signs)
        for kind in (scope.partition("/")[0],)
    )


def signs_of(diagnosis: Diagnosis, root: Finding) -> tuple[str, ...]:
    """What the bot itself sees of this root, in its scope, as `CODE SCOPE`; nothing where it was only pasted."""
    seen = signs_seen(diagnosis)
    return tuple(one for one in dict.fromkeys(_chain(diagnosis, root)) if one in seen)


def signs_seen(diagnosis: Diagnosis) -> frozenset[str]:
    """Every fault that the bot itself sees, as `CODE SCOPE`.

    Evidence that somebody pasted does not count: it is as old as the paste, and stays when the fault is gone.
    """
    return frozenset(
        _key(one)
        for one in diagnosis.findings
        if one.kind is Kind.FAULT and any(seen.reporter is None for seen in one.evidence)
    )


def causes_not_seen(diagnosis: Diagnosis) -> tuple[Ref, ...]:
    """The objects whose own cause nobody could look at: two of them need not have the same one."""
    return tuple(dict.fromkeys(one.finding.subject for one in diagnosis.roots if not one.cause_seen))


def incident_id(request_id: str) -> str:
    """Eight letters and digits, the same for a request that comes again."""
    digest = hashlib.sha256(request_id.encode()).digest()
    return base64.b32encode(digest)[:8].decode().lower()


def opening(
    *,
    cluster: str,
    request_id: str,
    at: datetime,
    place: Place,
    scope: tuple[Ref, ...] = (),
    keys: tuple[str, ...] = (),
    source: str = "",
    alerts: tuple[str, ...] = (),
    labels: Mapping[str, Mapping[str, str]] = {},
) -> Incident:
    """The incident that a request would open; without a source it is a conversation, and nothing folds into it."""
    return Incident(
        id=incident_id(request_id),
        cluster=cluster,
        keys=keys,
        opened_by=request_id,
        opened_at=at,
        changed_at=at,
        place=place,
        scope=scope,
        count=len(alerts),
        sources=(source,) if source else (),
        alerts=alerts,
        firing=alerts,
        labels=labels,
    )


def folded(incident: Incident, fresh: Incident, *, at: datetime, counted: str) -> Incident:
    """The incident after alerts led to it. Those that it knows already change nothing.

    Args:
        incident: as it is.
        fresh: what the alerts would have opened.
        at: decision time.
        counted: the step to note if any of them counts.
    """
    new = tuple(one for one in fresh.alerts if one not in incident.alerts)
    # An alert that fires anew replaces its last firing, whose end nobody told.
    again = {_fingerprint(one) for one in new}
    firing = tuple(one for one in incident.firing if _fingerprint(one) not in again) + new
    return msgspec.structs.replace(
        stepped(incident, counted) if new else incident,
        keys=_joined(incident.keys, fresh.keys, _MOST_KEYS),
        sources=_joined(incident.sources, fresh.sources, _MOST_SOURCES),
        scope=_joined(incident.scope, fresh.scope, _MOST_REFS),
        alerts=_joined(incident.alerts, new, _MOST_ALERTS),
        firing=firing[-_MOST_ALERTS:],
        labels=dict([*incident.labels.items(), *fresh.labels.items()][-_MOST_LABELLED:]),
        count=incident.count + len(new),
        # Until the root message is posted this says since when whoever opened it has been at it.
        changed_at=at if incident.root else incident.changed_at,
    )


def sharpened(incident: Incident, keys: tuple[str, ...], scope: Iterable[Ref], at: datetime) -> Incident:
    """The incident after a better look: known by more, asked about more."""
    return msgspec.structs.replace(
        incident,
        keys=_joined(incident.keys, keys, _MOST_KEYS) if incident.sources else (),
        scope=_joined(incident.scope, scope, _MOST_REFS),
        changed_at=at,
    )


def ended(incident: Incident, alerts: Iterable[str]) -> Incident:
    """The incident after these alerts no longer fire."""
    over = frozenset(alerts)
    return msgspec.structs.replace(incident, firing=tuple(one for one in incident.firing if one not in over))


def resolved(incident: Incident, at: datetime) -> Incident:
    """Resolved, unless an alert fires again meanwhile; mitigated where people left something broken."""
    if incident.firing:
        return incident
    state = State.MITIGATED if incident.left else State.RESOLVED
    return msgspec.structs.replace(incident, state=state, changed_at=at)


def rooted(incident: Incident, ts: str, shown: str) -> Incident:
    """The incident after its root message was posted, which shows this; the first one stays the root."""
    if incident.root:
        return incident
    place = incident.place if incident.place.thread else Place(incident.place.channel, ts)
    return msgspec.structs.replace(incident, root=ts, shown=shown, place=place)


def stepped(incident: Incident, step: str) -> Incident:
    """The incident after this step."""
    return msgspec.structs.replace(incident, steps=_joined(incident.steps, (step,), _MOST_STEPS))


def _joined(old: tuple[T, ...], new: Iterable[T], most: int) -> tuple[T, ...]:
    return tuple(dict.fromkeys((*old, *new)))[-most:]


def _fingerprint(alert: str) -> str:
    return alert.partition("@")[0]
