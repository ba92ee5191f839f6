"""A section of a runbook as paragraphs: its title, its prose, its code as lines to copy."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.model.cards import Part

_FENCE = "```"
#: What begins a line of its own: items of a list, rows of a table.
_ITEM = re.compile(r"(?:[-*|]|\d+\.)\s")


def title(section: str) -> str:
    """The first line."""
    return _unmarked(section.partition("\n")[0].strip())


def paragraphs(section: str) -> tuple[Part, ...]:
    """Everything below the title, in its order."""
    return tuple(_parts(section.partition("\n")[2]))


def prose(section: str) -> tuple[Part, ...]:
    """The same without what is to be copied: a card's commands are those of its action."""
    return tuple(part for part in paragraphs(section) if part.text)


def _parts(text: str) -> Iterator[Part]:
    told: list[str] = []
    code: list[str] | None = None
    for line in text.splitlines():
        if line.lstrip().startswith(_FENCE):
            yield from _paragraph(told)
            if code:
                yield Part(lines=tuple(code))
            code = [] if code is None else None
        elif code is not None:
            code.append(line)
        else:
            if not line.strip() or _ITEM.match(line.lstrip()):
                yield from _paragraph(told)
            told.append(line.strip())
    yield from _paragraph(told)
    if code:
        yield Part(lines=tuple(code))


def _paragraph(told: list[str]) -> Iterator[Part]:
    """The lines so far as one paragraph; they are used up by it."""
    text = _unmarked(" ".join(told)).strip()
    told.clear()
    if text:
        yield Part(text=text)


def _unmarked(text: str) -> str:
    return text.replace("`", "").replace("**", "")
