"""Quotes in the terminal: where each stands, what it says, when it was seen, and who pasted it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from rich.text import Text

from bot.knowledge.blanks import moment
from bot.model.report import Quoted
from bot.render.lines import Lines
from bot.render.telling import brief, is_time, telling
from bot.render.visible import visible

#: Quotes of one finding, and characters of one quote, where not the whole is asked for.
_MOST = 2
_LIMIT = 170
_SHORT = 44


class Quotes:
    """Remembers what was shown, so that nothing is quoted twice in one answer."""

    def __init__(self, lines: Lines, *, whole: bool) -> None:
        self._lines = lines
        self._whole = whole
        self._shown: set[Quoted] = set()

    def of(self, evidence: Iterable[Quoted], title: str, since: datetime | None = None) -> list[Text]:
        """The most telling quotes of a finding, and how many there are besides.

        A quote of the very moment since when it has been so does not repeat it.
        """
        if self._whole:
            return [self._line(one, one.quote) for one in evidence]
        fresh, rest = telling(evidence, self._shown, title)
        if rest and not fresh:
            return [Text(self._lines.label("shown_evidence"), "dim")]
        self._shown.update(fresh[:_MOST])
        told = [self._line(one, brief(one, _LIMIT), since) for one in fresh[:_MOST]]
        left = len(fresh[_MOST:]) + len(rest)
        if left and told:
            told[-1].append(f"  {self._lines.label('more_quotes', count=left)}", "dim")
        return told

    def short(self, one: Quoted) -> Text:
        """A quote beside a statement: in which field, and what it says."""
        text = Text(f"({visible(self._lines.place(one))} ", "dim")
        return text.append(f"«{visible(brief(one, _SHORT))}»", "cyan").append(")", "dim")

    def _line(self, one: Quoted, quote: str, since: datetime | None = None) -> Text:
        text = Text(f"{visible(self._lines.origin(one))}: ", "dim")
        text.append(f"«{visible(quote)}»", "cyan")
        witness = self._lines.witness(one, timed=self._whole or not (is_time(one) or _is_of(one, since)))
        return text.append(f" ({visible(witness)})" if witness else "", "dim")


def _is_of(one: Quoted, since: datetime | None) -> bool:
    seen = {moment(when) for when in (one.first_seen, one.last_seen) if when}
    return since is not None and seen == {moment(since)}
