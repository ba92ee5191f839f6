"""Breaks long commands into lines that a shell takes as one."""

from __future__ import annotations

_CONTINUATION = " \\"
_INDENT = "  "


def command_lines(command: str, width: int) -> tuple[str, ...]:
    """Lines of at most `width` characters where the command allows it.

    A break stands only where a shell sees a space between words, never inside quotes; a single word that is
    longer than the line stays whole, because a cut command is a wrong command. A line of a command that has several
    keeps its indent, and its own continuation at its end.
    """
    indent = command[: len(command) - len(command.lstrip(" "))]
    words = _words(command[len(indent) :])
    ending = _CONTINUATION if len(words) > 1 and words[-1] == _CONTINUATION.strip() else ""
    lines: list[str] = []
    line = indent
    for word in words[:-1] if ending else words:
        joined = f"{line} {word}" if line.strip() else line + word
        if line.strip() and len(joined) > width - len(_CONTINUATION):
            lines.append(line + _CONTINUATION)
            line = (indent or _INDENT) + word
        else:
            line = joined
    return (*lines, line + ending)


def _words(command: str) -> list[str]:
    """The command split at the spaces that stand outside quotes, quotes kept."""
    words = [""]
    quote = ""
    escaped = False
    for char in command:
        if char == " " and not quote and not escaped:
            words.append("")
            continue
        words[-1] += char
        if escaped:
            escaped = False
        elif char == "\\" and quote != "'":
            escaped = True
        elif quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
    return words
