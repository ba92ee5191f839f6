"""Whether a runbook can be trusted: pure checks over what was written, each problem with file, field and reason.

Options, order, parameters, sections and languages stand here; what one step may say stands in `steplint`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

import msgspec

from bot.model.problem import Problem
from bot.remedy.ordering import predecessors
from bot.remedy.parameters import blanks_of, names, source_of
from bot.remedy.runbook import Option, Runbook
from bot.remedy.steplint import lint_step
from bot.remedy.verbs import FACTS

_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
#: The section before the first heading with an id: what the runbook is about, for people.
INTRO = ""


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """One file of a runbook: its front matter, and its sections by id. `headings` are the ids as they come."""

    file: str
    name: str
    lang: str
    runbook: Runbook
    sections: Mapping[str, str]
    headings: tuple[str, ...] = ()


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """The codes that can be found and the reasons that have words; None where they are not at hand."""

    codes: frozenset[str] | None = None
    reasons: frozenset[str] | None = None


def lint(files: Iterable[Written], known: Known) -> tuple[Problem, ...]:
    """Every problem of these files; none where they may be used."""
    written = tuple(files)
    found: list[Problem] = []
    for one in written:
        found += [Problem(one.file, field, reason) for field, reason in _file(one, known)]
    found += _languages(written)
    found += _roots(written)
    return tuple(dict.fromkeys(found))


_Found = Iterator[tuple[str, str]]


def _file(one: Written, known: Known) -> _Found:
    book = one.runbook
    yield from _identity(one)
    yield from _ids(book)
    yield from _codes(book, known)
    yield from _parameters(book)
    for number, step in enumerate(book.steps):
        for field, reason in lint_step(step, book, known.reasons):
            yield f"steps[{number}].{field}".rstrip("."), f"{step.id}: {reason}"
    yield from _order(book)
    yield from _options(book)
    yield from _sections(one)


def _identity(one: Written) -> _Found:
    if one.runbook.name != one.name:
        yield "name", f"{one.runbook.name!r} is not the file's"


def _ids(book: Runbook) -> _Found:
    ids = [step.id for step in book.steps] + [option.id for option in book.options]
    ids += [book.choice] if book.choice else []
    for text, times in Counter(ids).items():
        if times > 1:
            yield "steps", f"{text!r} names {times} things: steps, options and the choice share one set of ids"
        if not _ID.fullmatch(text):
            yield "steps", f"{text!r}: lower-case words joined by hyphens are expected"


def _codes(book: Runbook, known: Known) -> _Found:
    if not book.roots:
        yield "roots", "leads from nowhere: at least one code is needed"
    if known.codes is None:
        return
    named = [("roots", code) for code in book.roots]
    for number, option in enumerate(book.options):
        named += [(f"options[{number}].leaves", code) for code in option.leaves]
        named += [(f"options[{number}].unless", code) for code in option.unless]
    for name, text in book.parameters.items():
        source = source_of(text)
        named += [(f"parameters.{name}", source.code)] if source and source.code else []
    for field, code in named:
        if code not in known.codes:
            yield field, f"{code!r} is no known code"


def _parameters(book: Runbook) -> _Found:
    used = frozenset().union(*map(blanks_of, book.steps), FACTS)
    used |= {step.owner_of for step in book.steps if step.owner_of}
    for name, text in book.parameters.items():
        if source_of(text) is None:
            yield f"parameters.{name}", f"{text!r}: subject, ref:ROLE or value:NAME is expected, CODE. before, ? behind"
        elif not names({name: text}) & used:
            yield f"parameters.{name}", "no step uses it"


def _order(book: Runbook) -> _Found:
    ids = {step.id for step in book.steps}
    for number, step in enumerate(book.steps):
        for before in step.after:
            if before not in ids:
                yield f"steps[{number}].after", f"{step.id}: there is no step {before!r}"
    try:
        tuple(TopologicalSorter({step.id: step.after for step in book.steps}).static_order())
    except CycleError as why:
        yield "steps", f"they wait for each other: {' -> '.join(why.args[1])}"


def _options(book: Runbook) -> _Found:
    ids = {step.id for step in book.steps}
    if not book.options:
        yield "options", "at least one is needed"
    if len(book.options) > 1 and not book.choice:
        yield "choice", "several options need a question"
    undoing = {step.undo for step in book.steps if step.undo}
    for number, option in enumerate(book.options):
        for reason in _option(book, option, ids, undoing):
            yield f"options[{number}].steps", f"{option.id}: {reason}"
    used = {one for option in book.options for one in option.steps} | undoing
    for number, step in enumerate(book.steps):
        if step.id not in used:
            yield f"steps[{number}]", f"{step.id}: no option uses it, and no step is undone by it"


def _option(book: Runbook, option: Option, ids: set[str], undoing: set[str]) -> Iterator[str]:
    missing = [one for one in option.steps if one not in ids]
    if not option.steps:
        yield "no steps"
    elif all(step.needs for step in book.steps if step.id in option.steps):
        yield "no step that is always part of it"
    for one in missing:
        yield f"there is no step {one!r}"
    for one, times in Counter(option.steps).items():
        if times > 1:
            yield f"{one!r} stands there {times} times"
        if one in undoing:
            yield f"{one!r} takes another step back, it is no part of a plan"
    if not missing and all(before in ids for step in book.steps for before in step.after):
        yield from _waiting(book, option)


def _waiting(book: Runbook, option: Option) -> Iterator[str]:
    """What is wrong with what the steps of an option wait for."""
    for place, one in enumerate(option.steps):
        late = [before for before in predecessors(book, option.steps, one) if option.steps.index(before) > place]
        for before in late:
            yield f"{one!r} stands before {before!r}, which it comes after"
        if place and not predecessors(book, option.steps, one):
            yield f"{one!r} waits for no other step of it, and would be offered at once: name one in its after"


def _sections(one: Written) -> _Found:
    book = one.runbook
    wanted = [*([book.choice] if book.choice else []), *(option.id for option in book.options)]
    wanted += [step.id for step in book.steps]
    for section in [INTRO, *wanted]:
        title, _, text = one.sections.get(section, "").partition("\n")
        if not title.strip() or not text.strip():
            yield f"## {section}" if section else "#", "title or text of this section is missing"
    for section, times in Counter(one.headings).items():
        if section not in wanted:
            yield f"## {section}", "no step, option or choice has this id"
        if times > 1:
            yield f"## {section}", f"stands there {times} times"


def _languages(files: tuple[Written, ...]) -> Iterator[Problem]:
    base = {one.name: one for one in files if one.lang == "en"}
    for one in files:
        first = base.get(one.name)
        if first is None:
            yield Problem(one.file, "", "there is no English file beside it")
            continue
        for field in one.runbook.__struct_fields__:
            if field != "sha256" and getattr(one.runbook, field) != getattr(first.runbook, field):
                yield Problem(one.file, field, f"is not what {first.file} says")


def _roots(files: tuple[Written, ...]) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for one in files:
        if one.lang != "en":
            continue
        for code in one.runbook.roots:
            if seen.setdefault(code, one.file) != one.file:
                yield Problem(one.file, "roots", f"{code!r} leads to {seen[code]} already")
