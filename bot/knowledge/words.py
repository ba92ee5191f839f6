"""The one catalogue of words: every code, link, reason and label, in every language."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TypeVar

import msgspec

from bot.knowledge.blanks import fill


class MissingWords(KeyError):
    """A key that the catalogue of this language does not have."""


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """The words of one language.

    `codes` maps a code to its title and sentence, `links` maps `CAUSE>EFFECT` to why, `reasons` and `labels` are
    single texts. Blanks (`{subject}`, `{resource}`) are filled from a finding's subject, values and refs.
    """

    lang: str
    codes: Mapping[str, CodeWords]
    links: Mapping[str, str]
    reasons: Mapping[str, str]
    labels: Mapping[str, str]

    def label(self, key: str) -> str:
        """A fixed text (`not_seen`, `since`).

        Raises:
            MissingWords: there is none.
        """
        return _get(self.labels, key, self.lang)

    def reason(self, key: str) -> str:
        """Why something was not seen or is refused.

        Raises:
            MissingWords: there is none.
        """
        return _get(self.reasons, key, self.lang)

    def told(self, key: str, **values: str | int | datetime) -> str:
        """The reason with its blanks filled; an operator's own text may have others, which stay as they are.

        Raises:
            MissingWords: there is none.
        """
        return fill(self.reason(key), values)

    def filled(self, key: str, **values: str | int | datetime) -> str:
        """The label with its blanks filled, in the same way.

        Raises:
            MissingWords: there is none.
        """
        return fill(self.label(key), values)

    def link(self, cause: str, effect: str) -> str:
        """Why the one leads to the other.

        Raises:
            MissingWords: there is none.
        """
        return _get(self.links, f"{cause}>{effect}", self.lang)

    def code(self, code: str) -> CodeWords:
        """Title and sentence of a code.

        Raises:
            MissingWords: there are none.
        """
        return _get(self.codes, code, self.lang)


class CodeWords(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`title` in a few words, `why` in one or two sentences.

    `open` asks what stays open while nobody could look (`whether only the kubelet died`). It names no object: it is
    said of one, of several, or of a whole list that was not read. `bare` is the title where only the object is known,
    for one that asks for more.
    """

    title: str
    why: str = ""
    open: str = ""
    bare: str = ""


T = TypeVar("T")


def _get(entries: Mapping[str, T], key: str, lang: str) -> T:
    try:
        return entries[key]
    except KeyError:
        raise MissingWords(f"{lang}: no words for {key!r}") from None
