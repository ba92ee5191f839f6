"""Lines with a hanging indent for the terminal: folded at the console's width, no spaces at their ends."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.text import Text

from bot.render.command import command_lines

#: A terminal that is narrower folds words, and still shows every character.
_NARROWEST = 24
_MARGIN = "dim"
_BEFORE_NOTE = "  "


class Paragraph:
    """A text whose first line begins with `first` and whose others begin with `rest`."""

    def __init__(self, text: Text, first: str = "", rest: str | None = None) -> None:
        self._text = text
        self._first = first
        self._rest = first if rest is None else rest

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        width = max(_NARROWEST, options.max_width - max(cell_len(self._first), cell_len(self._rest)))
        for number, line in enumerate(self._text.wrap(console, width)):
            line.rstrip()
            margin = self._rest if number else self._first
            yield Text.assemble((margin, _MARGIN), line) if line.plain else Text(margin.rstrip(), _MARGIN)


class Command:
    """A command to copy: broken by us before the terminal would fold it, so that a shell takes it as one.

    A note stands behind it as a comment, or below it where the line is full.
    """

    def __init__(self, command: str, indent: str, note: str = "") -> None:
        self._command = command
        self._indent = indent
        self._note = f"# {note}" if note else ""

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> Iterator[Text]:
        width = max(_NARROWEST, options.max_width - len(self._indent))
        *lines, last = command_lines(self._command, width)
        yield from (Text.assemble(self._indent, (line, "cyan")) for line in lines)
        fits = cell_len(last) + cell_len(self._note) + len(_BEFORE_NOTE) <= width
        beside = (f"{_BEFORE_NOTE}{self._note}", "dim") if self._note and fits else ""
        yield Text.assemble(self._indent, (last, "cyan"), beside)
        if self._note and not fits:
            yield Text.assemble(self._indent, (self._note, "dim"))
