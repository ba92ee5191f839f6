"""Undoes what chat does to pasted text, so that it reads as the terminal wrote it."""

from __future__ import annotations

import re

from bot.render.slack.text import unescaped

_SIGNS = str.maketrans(
    {
        "“": '"', "”": '"', "„": '"', "‘": "'", "’": "'",
        "—": "--", "…": "...", "\u00a0": " ", "\u202f": " ",
        "\u200b": None, "\u200c": None, "\u200d": None, "\u2060": None, "\ufeff": None,
    }
)  # fmt: skip
#: Slack wraps what it takes for an address: `<http://host.service|host.service>`, `<https://host/>`.
_LINK = re.compile(r"<(?:https?://|mailto:)[^|<>\s]+\|([^<>]+)>|<((?:https?://|mailto:)[^|<>\s]+)>")
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
#: A message that quotes another: Slack writes the sign before each line.
_QUOTED = re.compile(r"^(?:> ?)+(?!>)", re.MULTILINE)
_FENCE = re.compile(r"^(?:>\s?)?```(?:[\w-]*$)?|```\s*$", re.MULTILINE)


def unmangled(text: str) -> str:
    """The text without fences, colours, links and signs of quotation, with plain quotes, dashes and brackets."""
    text = _LINK.sub(lambda hit: hit[1] or hit[2], _COLOUR.sub("", text))
    text = _FENCE.sub("", _QUOTED.sub("", unescaped(text).translate(_SIGNS)))
    return text.replace("\r\n", "\n").replace("\r", "\n")
