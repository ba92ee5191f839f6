"""Everything that is wrong with the files of knowledge, ours and the operator's: a list, never an exception."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from bot.adapters.files.knowledge import LANGUAGES, BrokenKnowledge, load_knowledge, load_policies, load_words
from bot.adapters.files.runbooks import read_runbooks
from bot.checks import CHECKS
from bot.knowledge.base import Knowledge
from bot.knowledge.links import Links
from bot.knowledge.lint import lint_circles, lint_links, lint_signatures, lint_words
from bot.model.problem import Problem
from bot.remedy.lint import Known, lint

T = TypeVar("T")
#: What is read of a folder.
_READ = ("signatures.toml", "links.toml", "policies.toml", "words", "runbooks")


def problems(folder: Path | None) -> tuple[Problem, ...]:
    """What is wrong in the bot's files and in the operator's folder; of the latter with its own paths."""
    found: list[Problem] = []
    if folder is not None and not any((folder / one).exists() for one in _READ):
        # A mistyped folder would have nothing wrong.
        found.append(Problem(str(folder), "", f"holds none of {', '.join(_READ)}"))
    ours = load_knowledge()
    both = _read(lambda: load_knowledge(folder), found)
    _read(lambda: load_policies(folder=folder), found)
    if both is not None:
        found += _rows(ours, both, folder)
    codes = _codes(both or ours)
    reasons = _words(folder, both or ours, codes, found)
    files, broken = read_runbooks(folder)
    return (*found, *broken, *lint(files, Known(codes=codes, reasons=reasons)))


def _read(read: Callable[[], T], found: list[Problem]) -> T | None:
    try:
        return read()
    except BrokenKnowledge as why:
        found.append(why.problem)
        return None


def _codes(knowledge: Knowledge) -> frozenset[str]:
    """Everything that can be found."""
    return frozenset(
        {
            *(str(code) for check in CHECKS for code in check.codes),
            *(code for row in knowledge.signatures for code in (row.code, row.suspect) if code),
        }
    )


def _rows(ours: Knowledge, both: Knowledge, folder: Path | None) -> Iterator[Problem]:
    """Ours come first in what was read, so the rest is the operator's."""
    codes = _codes(both)
    first = len(ours.signatures), len(ours.links.link)
    own = Links(link=both.links.link[first[1] :], never_root=both.links.never_root - ours.links.never_root)
    yield from lint_signatures("signatures.toml", ours.signatures, codes)
    yield from lint_links("links.toml", ours.links, codes)
    if folder is not None:
        yield from lint_signatures(str(folder / "signatures.toml"), both.signatures[first[0] :], codes)
        yield from lint_links(str(folder / "links.toml"), own, codes)
    yield from lint_circles(str(folder / "links.toml") if folder else "links.toml", both.links.link)


def _words(
    folder: Path | None, knowledge: Knowledge, codes: frozenset[str], found: list[Problem]
) -> frozenset[str] | None:
    """The reasons that have words in every language; None where a catalogue cannot be read."""
    reasons: list[frozenset[str]] = []
    for lang in LANGUAGES:
        words = _read(lambda lang=lang: load_words(lang, folder), found)  # type: ignore[misc]
        if words is None:
            return None
        file = str((folder or Path()) / "words" / f"{lang}.toml")
        found += lint_words(file, words, codes, knowledge.links.link)
        reasons.append(frozenset(words.reasons))
    return frozenset.intersection(*reasons)
