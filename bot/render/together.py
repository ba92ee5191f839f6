"""Puts together what is said alike of several objects, so that a reader meets it once; the JSON keeps every entry.

Two texts are alike where nothing but the object's own name tells them apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from bot.model.report import NotSeen, Statement

#: Stands where the object's name stood; no name of Kubernetes has it.
_NAME = "\0"
#: So many objects of one statement are named.
_NAMED = 5
_SINGLETONS = frozenset({"cluster", "clusterpolicy", "kubevirt"})
_IN_NAMES = re.compile(r"[A-Za-z0-9_-]")
_GOES_ON = re.compile(r"\.?[A-Za-z0-9_-]")

T = TypeVar("T", Statement, NotSeen)
#: Words for "this and so many more".
AndMore = Callable[[str, int], str]


def alike(statements: Iterable[Statement]) -> list[tuple[Statement, ...]]:
    """Statements of the same words, the groups in the order of their first."""
    return _grouped(statements, lambda one: (one.code, one.kind, one.certainty, *_masks(one, one.title, one.why)))


def alike_gaps(gaps: Iterable[NotSeen]) -> list[tuple[NotSeen, ...]]:
    """Gaps that the same kind of look closes, object by object."""
    return _grouped(gaps, lambda one: (one.codes, *_masks(one, one.what, one.why, one.command)))


def said_of(many: Sequence[Statement] | Sequence[NotSeen], text: str, and_more: AndMore) -> str:
    """A text of the first, said of all."""
    return _masked(text, _name(many[0].subject)).replace(_NAME, names(many, and_more))


def titled(many: Sequence[Statement], and_more: AndMore) -> str:
    """The title said of all; objects that it does not name are added, unless a cluster has only one of them."""
    title = many[0].title
    name = _name(many[0].subject)
    if not name or name in title or is_singleton(many[0].subject):
        return said_of(many, title, and_more)
    return f"{title} ({_joined([one.subject for one in many], and_more)})"


def is_singleton(subject: str) -> bool:
    """Whether a cluster has one of these, so that its name tells nothing."""
    return subject.partition("/")[0] in _SINGLETONS


def names(many: Sequence[Statement] | Sequence[NotSeen], and_more: AndMore) -> str:
    """`omen1, omen3`, the first few by name."""
    return _joined([_name(one.subject) for one in many], and_more)


def _joined(texts: Sequence[str], and_more: AndMore) -> str:
    shown = ", ".join(texts[:_NAMED])
    return and_more(shown, len(texts) - _NAMED) if len(texts) > _NAMED else shown


def _name(subject: str) -> str:
    name = subject.rpartition("/")[2]
    return "" if name == "cluster" else name


def _masks(one: Statement | NotSeen, *texts: str) -> tuple[str, ...]:
    return one.subject.partition("/")[0], *(_masked(text, _name(one.subject)) for text in texts)


def _masked(text: str, name: str) -> str:
    """The text with the name marked where it stands as a whole: `omen2` does not stand in `omen21`."""
    if not name or name not in text:
        return text
    before, *others = text.split(name)
    for after in others:
        is_whole = not _IN_NAMES.search(before[-1:]) and not _GOES_ON.match(after)
        before += (_NAME if is_whole else name) + after
    return before


def _grouped(many: Iterable[T], key_of: Callable[[T], Hashable]) -> list[tuple[T, ...]]:
    groups: dict[Hashable, list[T]] = {}
    for one in many:
        groups.setdefault(key_of(one), []).append(one)
    return [tuple(group) for group in groups.values()]
