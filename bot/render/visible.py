"""Makes untrusted text harmless to look at: what cannot be seen, or changes how the rest is seen, is spelled out."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

#: Control (with escape sequences of terminals), format (bidirectional, zero width, tags), surrogate, line and
#: paragraph separators.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_NEWLINE = "⏎"


def visible(text: str) -> str:
    r"""One line without hidden characters: `\x1b`, `\u202e` are written out, a line break is shown as `⏎`."""
    return "".join(_shown(text.replace("\r\n", "\n").rstrip("\n")))


def _shown(text: str) -> Iterator[str]:
    for char in text:
        if char == "\n":
            yield f" {_NEWLINE} "
        elif char == "\t":
            yield " "
        elif unicodedata.category(char) in _HIDDEN:
            yield f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}"
        else:
            yield char


def middle_cut(text: str, limit: int) -> str:
    """At most `limit` characters; what is too much is taken out of the middle, since both ends tell things apart."""
    if len(text) <= limit:
        return text
    tail = limit // 2
    return f"{text[: limit - tail - 1]}…{text[-tail:]}"


def clipped(text: str, limit: int) -> str:
    """At most `limit` characters, an ellipsis as the last where something is missing."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
