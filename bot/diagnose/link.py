"""Links findings into chains by look-up, and says which links were observed and which only follow.

A link is observed when both ends are findings. A code in the middle that could not be looked at is put in as an
inferred finding, if something observed stands before it and its row does not ask for it to be seen; one that was
looked at and is clean breaks the chain.
Time refutes a link only where the onset of both ends is known. A link that a longer way round tells as well is left
out, so that a chain reads as one story.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta

import msgspec

from bot.knowledge.links import LinkRow, Links
from bot.model.diagnosis import Certainty, Key, Link
from bot.model.findings import Blind, Code, Finding, Kind
from bot.model.refs import CLUSTER, Ref

#: Clocks of nodes and control plane differ, and the node controller waits up to 50 s before it says Unknown.
SKEW = timedelta(seconds=120)
#: No chain that is known has more steps than this between two observed findings.
LONGEST_GAP = 4


class Chains(msgspec.Struct, frozen=True):
    """The links, and all faults including the inferred ones.

    `unlooked` are, of each fault, the codes that may stand directly before it and could not be looked at.
    """

    links: tuple[Link, ...]
    faults: tuple[Finding, ...]
    inferred: frozenset[Key]
    unlooked: Mapping[Key, tuple[Code, ...]] = {}


class _Board:
    """The faults of one diagnosis, indexed for look-up, and the inferred ones found on the way."""

    def __init__(self, findings: Iterable[Finding], blind: Iterable[Blind], links: Links) -> None:
        self.links = links
        self.observed: dict[Key, Finding] = {one.key: one for one in findings if one.kind is Kind.FAULT}
        self.inferred: dict[Key, Finding] = {}
        self.by_role: dict[tuple[str, str, Ref], list[Finding]] = {}
        for one in self.observed.values():
            for role, refs in one.refs.items():
                for ref in refs:
                    self.by_role.setdefault((one.code, role, ref), []).append(one)
        self.open: set[tuple[str, Ref]] = {(code, one.subject) for one in blind for code in one.codes}

    def cannot_tell(self, code: str, subject: Ref) -> bool:
        return (code, subject) in self.open or (code, CLUSTER) in self.open

    def unlooked(self, effect: Finding) -> tuple[Code, ...]:
        """What may stand directly before this and could not be looked at, where it would have to be."""
        return tuple(
            dict.fromkeys(
                Code(row.cause)
                for row in self.links.causes_of.get(effect.code, ())
                if any(self.cannot_tell(row.cause, one) for one in {effect.subject, CLUSTER, *_subjects(row, effect)})
            )
        )

    def observed_causes(self, row: LinkRow, effect: Finding) -> Iterator[Finding]:
        """Observed findings that this row puts before the effect, unless time says otherwise."""
        side, _, role = row.join.partition(".")
        if side == "cause":
            candidates = self.by_role.get((row.cause, role, effect.subject), [])
        else:
            keys = ((Code(row.cause), subject) for subject in _subjects(row, effect))
            candidates = [self.observed[key] for key in keys if key in self.observed]
        return (one for one in candidates if not _too_late(one, effect))


def _subjects(row: LinkRow, effect: Finding) -> tuple[Ref, ...]:
    """Where a cause of this row would have to be, as far as the effect tells."""
    side, _, role = row.join.partition(".")
    if side == "subject":
        return (effect.subject,)
    return effect.refs.get(role, ()) if side == "effect" else ()


def _too_late(cause: Finding, effect: Finding) -> bool:
    return cause.onset is not None and effect.onset is not None and cause.onset.at > effect.onset.at + SKEW


def link(findings: Iterable[Finding], blind: Iterable[Blind], links: Links) -> Chains:
    """Every link between the faults, with the inferred faults between them."""
    board = _Board(findings, blind, links)
    found: dict[tuple[Key, Key], Certainty] = {}
    for effect in board.observed.values():
        for row in links.causes_of.get(effect.code, ()):
            causes = list(board.observed_causes(row, effect))
            for cause in causes:
                found[cause.key, effect.key] = Certainty.OBSERVED
            if not causes:
                for pair in _bridge(board, row, effect, LONGEST_GAP):
                    found.setdefault(pair, Certainty.INFERRED)
    faults = {**board.inferred, **board.observed}
    told = _without_shortcuts(found)
    ordered = tuple(Link(*pair, told[pair]) for pair in sorted(told, key=str))
    unlooked = {one.key: board.unlooked(one) for one in faults.values()}
    return Chains(ordered, tuple(faults.values()), frozenset(board.inferred), unlooked)


def _bridge(board: _Board, row: LinkRow, effect: Finding, depth: int) -> list[tuple[Key, Key]]:
    """The inferred links from the effect over unseen codes up to something observed; none if there is nothing."""
    pairs: list[tuple[Key, Key]] = []
    for subject in _subjects(row, effect) if depth and not row.only_seen else ():
        if (Code(row.cause), subject) in board.observed or not board.cannot_tell(row.cause, subject):
            continue
        middle = Finding(code=Code(row.cause), subject=subject, severity=effect.severity)
        above: list[tuple[Key, Key]] = []
        for upper in board.links.causes_of.get(row.cause, ()):
            above += [(cause.key, middle.key) for cause in board.observed_causes(upper, middle)]
            above += _bridge(board, upper, middle, depth - 1)
        if above:
            board.inferred[middle.key] = middle
            pairs += [*above, (middle.key, effect.key)]
    return pairs


def _without_shortcuts(found: Mapping[tuple[Key, Key], Certainty]) -> dict[tuple[Key, Key], Certainty]:
    """The links that no longer way round replaces (the rows have no circles, so this is the transitive reduction)."""
    effects: dict[Key, list[Key]] = {}
    for cause, effect in found:
        effects.setdefault(cause, []).append(effect)
    return {
        (cause, effect): certainty
        for (cause, effect), certainty in found.items()
        if not any(_leads(effects, other, effect) for other in effects[cause] if other != effect)
    }


def _leads(effects: Mapping[Key, list[Key]], cause: Key, wanted: Key) -> bool:
    seen = {cause}
    queue = [cause]
    while queue:
        for effect in effects.get(queue.pop(), ()):
            if effect == wanted:
                return True
            if effect not in seen:
                seen.add(effect)
                queue.append(effect)
    return False
