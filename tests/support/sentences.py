"""Finds English sentences: where another language is spoken, and where words have no place."""

from __future__ import annotations

import re

#: Fenced blocks, code and quotations of a message: commands and what the cluster said.
_QUOTED = re.compile(r"```.*?```|`[^`]*`|<[^>]*>", re.DOTALL)
#: Three plain words in a row. Names of things have capitals, hyphens, slashes or dots.
_SENTENCE = re.compile(r"(?<![\w./:=-])[a-z][a-z']*(?:,? [a-z][a-z']*){2,}(?![\w/=-])")


def english(text: str) -> list[str]:
    """The English in a text, without what it quotes."""
    return _SENTENCE.findall(_QUOTED.sub(" ¶ ", text))
