"""The one signature of a check: a plain function over the snapshot, and a record of what it answers and reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from bot.model.findings import Blind, Code, Finding
from bot.model.refs import CLUSTER
from bot.model.sections import Section
from bot.model.snapshot import Snapshot

#: Findings, and per-object `Blind`s where one object does not tell. Never an exception, never a changed snapshot.
Answer = Iterable[Finding | Blind]


def always(_snapshot: Snapshot) -> bool:
    """Applies to every cluster."""
    return True


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """A check: one question, one file, one `CHECK`.

    Attributes:
        name: the file's name, with hyphens.
        codes: every code that it may answer with.
        reads: sections without which it cannot tell; it is not run while one is unknown, and does not apply
            where one is not installed.
        also_reads: sections that sharpen the answer when they are known.
        of_all: codes that say something of all there is (the only one, none at all), as everything that is ruled out
            does: they are not told while a part of what the check reads is missing.
        applies: whether the question makes sense for this cluster (no Karpenter, no Karpenter check).
        run: the question itself.
    """

    name: str
    codes: tuple[Code, ...]
    reads: tuple[Section, ...]
    also_reads: tuple[Section, ...] = ()
    of_all: tuple[Code, ...] = ()
    applies: Callable[[Snapshot], bool] = always
    run: Callable[[Snapshot], Answer]


def unread(check: str, codes: tuple[Code, ...], snapshot: Snapshot, sections: Iterable[Section]) -> Blind:
    """ "Cannot tell" about the whole cluster, because these sections are not known; one of them must be unknown."""
    unknown = snapshot.unknown(sections)
    section, why = next(iter(unknown.items()))
    return Blind(
        check=check,
        codes=codes,
        subject=CLUSTER,
        why=why.why,
        command=f"kubectl get {section.value} -A -o yaml",
        values=why.about(section),
        sections=tuple(unknown),
    )
