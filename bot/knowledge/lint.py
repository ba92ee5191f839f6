"""Whether signatures, links and words can be trusted: pure checks, each problem with file, field and reason."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from bot.knowledge.links import LinkRow, Links
from bot.knowledge.signatures import Signature
from bot.knowledge.words import Words
from bot.model.problem import Problem

_CODE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_JOIN = re.compile(r"subject|(effect|cause)\.[a-z0-9-]+")
_SOURCE = re.compile(r"journal:\S+|dmesg|host:/proc/swaps|host:/etc/fstab|log|event")
#: A command fits a phone's line.
_COMMAND_LETTERS = 60


def lint_signatures(file: str, rows: Iterable[Signature], codes: frozenset[str]) -> Iterator[Problem]:
    """Rows of a `signatures.toml`; `codes` are all that can be found."""
    for number, row in enumerate(rows):
        for field, reason in _signature(row, codes):
            yield Problem(file, f"signature[{number}].{field}", reason)


def _signature(row: Signature, codes: frozenset[str]) -> Iterator[tuple[str, str]]:
    if not _CODE.fullmatch(row.code):
        yield "code", f"{row.code!r}: lower-case words joined by hyphens are expected"
    if not _SOURCE.fullmatch(row.source):
        yield "source", f"{row.source!r} is no text that is read"
    yield from _patterns(row)
    named = {"opened_by": row.opened_by, "explains": (row.explains,), "suspect": (row.suspect,)}
    for field, several in named.items():
        for code in filter(None, several):
            if code not in codes:
                yield field, f"{code!r} is no known code"
    if len(row.command) >= _COMMAND_LETTERS:
        yield "command", f"{len(row.command)} letters, fewer than {_COMMAND_LETTERS} fit a phone"


def _patterns(row: Signature) -> Iterator[tuple[str, str]]:
    for field in ("pattern", "absent", "cleared_by"):
        text = getattr(row, field)
        try:
            empty = re.compile(text).search("") if text else None
        except re.error as why:
            yield field, f"no regular expression: {why}"
            continue
        if empty:
            yield field, "matches an empty line, so it matches everything"
    if not row.pattern:
        yield "pattern", "is empty"


def lint_links(file: str, links: Links, codes: frozenset[str]) -> Iterator[Problem]:
    """Rows of a `links.toml`."""
    for number, row in enumerate(links.link):
        for field in ("cause", "effect"):
            if getattr(row, field) not in codes:
                yield Problem(file, f"link[{number}].{field}", f"{getattr(row, field)!r} is no known code")
        if not _JOIN.fullmatch(row.join):
            yield Problem(file, f"link[{number}].join", f"{row.join!r}: subject, effect.ROLE or cause.ROLE is expected")
    for code in sorted(links.never_root - codes):
        yield Problem(file, "never_root", f"{code!r} is no known code")


def lint_circles(file: str, rows: Iterable[LinkRow]) -> Iterator[Problem]:
    """Links of all files together: a code that leads back to itself has no root."""
    below: dict[str, set[str]] = {}
    for row in rows:
        below.setdefault(row.cause, set()).add(row.effect)
    for code in sorted(below):
        if code in _reached(code, below):
            yield Problem(file, "link", f"{code!r} leads back to itself")


def _reached(code: str, below: Mapping[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = list(below.get(code, ()))
    while waiting:
        here = waiting.pop()
        if here not in seen:
            seen.add(here)
            waiting += below.get(here, ())
    return seen


def lint_words(file: str, words: Words, codes: frozenset[str], rows: Iterable[LinkRow]) -> Iterator[Problem]:
    """The catalogue of one language, ours and the operator's together."""
    for code in sorted(codes - set(words.codes)):
        yield Problem(file, f"codes.{code}", "this code has no words")
    for code in sorted(code for code, one in words.codes.items() if not one.title.strip()):
        yield Problem(file, f"codes.{code}.title", "is empty")
    for key in dict.fromkeys(f"{row.cause}>{row.effect}" for row in rows):
        if key not in words.links:
            yield Problem(file, f'links."{key}"', "this link has no words")
