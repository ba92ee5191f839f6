"""Markdown in which what people, alerts and clusters wrote stays text: it can make no link, no heading, no HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_SIGNS = re.compile(r"([\\`*_{}\[\]<>#|~&!])")
_FENCES = re.compile(r"`+")


def text(written: str) -> str:
    """One line, shown as it was written."""
    return _SIGNS.sub(r"\\\1", _line(written))


def code(written: str) -> str:
    """One line, as code; fits into a table."""
    shown = _line(written).replace("|", "\\|")
    if not shown:
        return ""
    fence = "`" * (1 + max((len(one) for one in _FENCES.findall(shown)), default=0))
    pad = " " if "`" in shown else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table; its cells are Markdown already."""
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(one) + " |" for one in lines]


def _line(written: str) -> str:
    one = " ".join(written.split())
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in one)
