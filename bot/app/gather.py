"""Puts the answers of many reads together into one snapshot.

A section may be read in several parts. Those of the first wave answer the question that was asked: if one of them
failed, the whole section is unknown. Later parts only add objects beside them: if one of those failed, what was read
stays, and the section has a gap, so that nothing is ruled out by it and the verdict cannot be healthy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from bot.app.ports import Pages, Read
from bot.model.hosttext import HostText, PodLog
from bot.model.objects import KubeObject
from bot.model.sections import NotInstalled, Section, Unknown, UnknownReason, UnreadableObject
from bot.model.snapshot import NOT_COLLECTED, RepairPolicy, Snapshot

#: Whoever may read nodes and is shown none did not read a cluster.
_NO_NODES = Unknown(UnknownReason.FAILED, "list-without-nodes")

Whole = tuple[KubeObject, ...] | Unknown | NotInstalled


class Readings:
    """What was read so far for one question."""

    def __init__(self) -> None:
        self.first: dict[Read, Pages] = {}
        self.later: dict[Read, Pages] = {}
        self.logs: tuple[PodLog, ...] = ()
        #: Sections of which a part was left unread on purpose, and why.
        self.left_out: dict[Section, Unknown] = {}

    def known_reads(self) -> set[Read]:
        """The reads that need not be asked again."""
        return {*self.first, *self.later}

    def snapshot(self, at: datetime, texts: tuple[HostText, ...], policies: tuple[RepairPolicy, ...]) -> Snapshot:
        """The picture, as far as it goes."""
        sections: dict[str, Any] = {}
        gaps: dict[Section, Unknown] = dict(self.left_out)
        unreadable: dict[UnreadableObject, None] = {}
        for section in Section:
            first, later = _of(section, self.first), _of(section, self.later)
            sections[section.value] = merged(first, later)
            for one in (*first, *later):
                unreadable.update(dict.fromkeys(one.unreadable))
            missing = [one.objects for one in later if isinstance(one.objects, Unknown)]
            missing += [one.gap for one in (*first, *later) if one.gap is not None]
            if missing and isinstance(sections[section.value], tuple):
                gaps[section] = missing[0]
        if sections[Section.NODES.value] == ():
            gaps.setdefault(Section.NODES, _NO_NODES)
        return Snapshot(
            at=at,
            host_texts=texts,
            pod_logs=self.logs,
            unreadable=tuple(unreadable),
            gaps=gaps,
            repair_policies=policies,
            **sections,
        )


def _of(section: Section, answers: Mapping[Read, Pages]) -> list[Pages]:
    return [pages for read, pages in answers.items() if read.section is section]


def merged(first: Iterable[Pages], later: Iterable[Pages]) -> Whole:
    """One section from its parts; an object that several parts hold counts once, as it was read last."""
    objects: dict[tuple[str, str], KubeObject] = {}
    for pages in first:
        if not isinstance(pages.objects, tuple):
            return pages.objects
    everything = [pages.objects for pages in (*first, *later)]
    for part in everything:
        if isinstance(part, tuple):
            objects.update((_key(thing), thing) for thing in part)
    if any(isinstance(part, tuple) for part in everything):
        return tuple(objects.values())
    return everything[0] if everything else NOT_COLLECTED


def _key(thing: KubeObject) -> tuple[str, str]:
    """Namespace and name are the identity within a section; what has no name is only itself."""
    return thing.namespace, thing.name or thing.metadata.uid or f"/{id(thing)}"
