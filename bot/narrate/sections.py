"""A section of a runbook as paragraphs: its title, its prose, its code as lines to copy."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.model.cards import Part

_FENCE = "```"
#: The id that a heading begins with: `guard-card: Label the node for containers`.
_ID = re.compile(r"^[a-z][a-z0-9-]*: ")


def title(text: str) -> str:
    """The section's heading, or its first line where it has none."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    heading = first.lstrip("#").strip()
    return _unmarked(_ID.sub("", heading) if first.startswith("#") else heading)


def paragraphs(text: str) -> tuple[Part, ...]:
    """Everything below the heading, in its order."""
    return tuple(_parts(text))


def _parts(text: str) -> Iterator[Part]:
    prose: list[str] = []
    code: list[str] | None = None
    for line in text.splitlines():
        if line.lstrip().startswith(_FENCE):
            if code is None:
                yield from _told(prose)
                code = []
            else:
                yield Part(lines=tuple(code))
                code = None
        elif code is not None:
            code.append(line)
        elif not line.strip() or line.lstrip().startswith("#"):
            yield from _told(prose)
        elif line.lstrip().startswith(("- ", "* ", "|")) or line.lstrip()[:2].rstrip(".").isdigit():
            yield from _told(prose)
            prose.append(line.strip())
        else:
            prose.append(line.strip())
    yield from _told(prose)
    if code:
        yield Part(lines=tuple(code))


def _told(prose: list[str]) -> Iterator[Part]:
    """The lines so far as one paragraph; they are used up by it."""
    text = _unmarked(" ".join(prose))
    prose.clear()
    if text:
        yield Part(text=text)


def _unmarked(text: str) -> str:
    return text.replace("`", "").replace("**", "")
