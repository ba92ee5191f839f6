"""Reads the runbooks that ship with the bot, and the operator's own beside them, and refuses a broken one.

A runbook is `NAME.md`, in other languages `NAME.LANG.md` with the same front matter. Sections begin with
`## ID: Title`; what stands before the first is about the whole.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import msgspec
import yaml

from bot.adapters.files.documents import PlainLoader
from bot.model.problem import Problem, undecoded
from bot.remedy.lint import INTRO, Known, Written, lint
from bot.remedy.runbook import Runbook

_FILE = re.compile(r"(?P<name>[a-z0-9-]+)(?:\.(?P<lang>[a-z]{2}))?\.md")
_HEADING = re.compile(r"^## (?P<id>[^:\n]+?)(?:: (?P<title>[^\n]+))?$", re.MULTILINE)


class BrokenRunbook(ValueError):
    """A runbook that must not be used; the text names file, field and reason of everything that is wrong."""


class Runbooks:
    """`app.repair.ports.Library` over what was read."""

    def __init__(self, files: Iterable[Written]) -> None:
        self._files = {(one.name, one.lang): one for one in files}
        self.books = tuple(one.runbook for one in self._files.values() if one.lang == "en")
        self._by_root = {code: book for book in self.books for code in book.roots}

    @property
    def names(self) -> Mapping[str, str]:
        """Root code -> name of the runbook that repairs it."""
        return {code: book.name for code, book in self._by_root.items()}

    def for_root(self, code: str) -> Runbook | None:
        """The runbook that repairs this root."""
        return self._by_root.get(code)

    def text(self, runbook: str, section: str, lang: str) -> str:
        """Title, an empty line, and the section in this language, else in English; without an id what it is about.

        Raises:
            KeyError: there is no such runbook or section.
        """
        one = self._files.get((runbook, lang)) or self._files[runbook, "en"]
        return one.sections[section]


def load_runbooks(folder: Path | None = None) -> Runbooks:
    """The bot's runbooks, then those in `runbooks/` of the operator's folder; one of the same name replaces ours.

    Raises:
        BrokenRunbook: one of them must not be used.
    """
    files, problems = read_runbooks(folder)
    problems += lint(files, Known())
    if problems:
        raise BrokenRunbook("; ".join(str(one) for one in problems))
    return Runbooks(files)


def runbook_names(folder: Path | None = None) -> Mapping[str, str]:
    """Root code -> name of the runbook that repairs it.

    Raises:
        BrokenRunbook: one of them must not be used.
    """
    return load_runbooks(folder).names


def read_runbooks(folder: Path | None = None) -> tuple[tuple[Written, ...], tuple[Problem, ...]]:
    """What could be read, and what could not, ours and the operator's."""
    shipped: list[Written] = []
    own: list[Written] = []
    problems: list[Problem] = []
    roots = [(resources.files("bot").joinpath("runbooks"), shipped)]
    roots += [(folder / "runbooks", own)] if folder else []
    for root, files in roots:
        for path in sorted(root.iterdir(), key=lambda one: one.name) if root.is_dir() else ():
            if not path.name.endswith(".md") or path.name == "README.md":
                continue
            found = _read(path)
            if isinstance(found, Written):
                files.append(found)
            else:
                problems += found
    replaced = {one.name for one in own}
    return (*(one for one in shipped if one.name not in replaced), *own), tuple(problems)


def _read(path: Traversable) -> Written | tuple[Problem, ...]:
    named = _FILE.fullmatch(path.name)
    if named is None:
        return (Problem(str(path), "", "NAME.md or NAME.LANG.md is expected, in lower case"),)
    try:
        text = path.read_text(encoding="utf-8")
        matter, body = _split(text)
        if twice := tuple(_twice(yaml.compose(matter, Loader=PlainLoader))):
            return tuple(Problem(str(path), field, reason) for field, reason in twice)
        book = msgspec.convert(yaml.load(matter, Loader=PlainLoader), Runbook)  # noqa: S506  CSafeLoader, without timestamps
    except (OSError, UnicodeDecodeError, yaml.YAMLError, _NoFrontMatter, msgspec.ValidationError) as why:
        return (undecoded(str(path), why),)
    if book.sha256:
        return (Problem(str(path), "sha256", "is set by whoever reads the file"),)
    sections = tuple(_sections(body))
    return Written(
        file=str(path),
        name=named["name"],
        lang=named["lang"] or "en",
        runbook=msgspec.structs.replace(book, sha256=hashlib.sha256(text.encode()).hexdigest()),
        sections=dict(sections),
        headings=tuple(section for section, _ in sections if section != INTRO),
    )


def _twice(node: yaml.Node | None, place: str = "", looked: set[int] | None = None) -> Iterator[tuple[str, str]]:
    """(field, reason) of every key that stands twice in one mapping: YAML's reader takes the later one in silence."""
    looked = set() if looked is None else looked
    if node is None or id(node) in looked:
        # An alias, which may name what it stands in.
        return
    looked.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for number, one in enumerate(node.value):
            yield from _twice(one, f"{place}[{number}]", looked)
    elif isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = f"{place}.{key.value}".lstrip(".")
            if name in seen:
                # The line of ---, and marks count from 0.
                yield name, f"line {key.start_mark.line + 2}: stands twice, and the later one would win"
            seen.add(name)
            yield from _twice(value, name, looked)


class _NoFrontMatter(ValueError):
    """The file does not begin with one."""


def _split(text: str) -> tuple[str, str]:
    start, marker, rest = text.partition("---\n")
    matter, end, body = rest.partition("\n---\n")
    if start or not marker or not end:
        raise _NoFrontMatter("no front matter between two lines of ---")
    return matter, body


def _sections(body: str) -> Iterator[tuple[str, str]]:
    """(id, title and text) of each section; the title of what stands before the first is its `# ` heading."""
    heads = list(_HEADING.finditer(body))
    first = heads[0].start() if heads else len(body)
    title, _, text = body[:first].strip().removeprefix("# ").partition("\n")
    yield INTRO, f"{title}\n\n{text.strip()}"
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        end = following.start() if following else len(body)
        yield head["id"], f"{head['title'] or ''}\n\n{body[head.end() : end].strip()}"
