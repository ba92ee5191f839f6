"""What the person in front of the terminal is asked, and what stands in for a person where nobody shall be asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TextIO

from rich.console import Console
from rich.prompt import Confirm, Prompt
from rich.text import Text, TextType

from bot.knowledge.words import Words

NOT_NOW = "n"


class Stopped(Exception):
    """The person ended the rehearsal; the text says how."""


class Asker(Protocol):
    """Whoever answers."""

    def go_on(self, prompt: str) -> None:
        """Return when the rehearsal shall go on.

        Raises:
            Stopped: it shall not.
        """
        ...

    def pick(self, question: str, choices: Mapping[str, str], suggested: str) -> str:
        """Which of these (in words, by key) it is; the answer is a key.

        Raises:
            Stopped: none, and the rehearsal shall end.
        """
        ...


class Nobody:
    """Takes what is suggested, and never waits."""

    def go_on(self, prompt: str) -> None:
        """At once."""

    def pick(self, question: str, choices: Mapping[str, str], suggested: str) -> str:
        """The suggested one."""
        return suggested


class AtTerminal:
    """Asks in the terminal.

    Args:
        console: where the questions are shown.
        words: what is said beside the questions.
        answers: where the answers come from; the standard input where it is None.
    """

    def __init__(self, console: Console, words: Words, answers: TextIO | None = None) -> None:
        self._console = console
        self._words = words
        self._answers = answers

    def go_on(self, prompt: str) -> None:
        """Wait for Enter."""
        try:
            _Choice.get_input(self._console, Text(f"\n{prompt} ", style="bold"), password=False, stream=self._answers)
        except EOFError as why:
            raise self._ended() from why

    def pick(self, question: str, choices: Mapping[str, str], suggested: str) -> str:
        """Ask until one of them is named; `n` is asked back whether to stop."""
        listed = ", ".join(f"{key} {name}" for key, name in choices.items())
        told = self._words.told("demo-pick", question=question, choices=listed, no=NOT_NOW)
        prompt = Text(f"\n{told}", style="bold")
        keys = [*choices, NOT_NOW]
        try:
            while True:
                found = _Choice.ask(
                    prompt, console=self._console, choices=keys, default=suggested, stream=self._answers
                )
                if found != NOT_NOW:
                    return found
                stop = self._words.reason("demo-stop")
                if _Stop.ask(stop, console=self._console, default=False, stream=self._answers):
                    raise Stopped(self._words.reason("demo-stopped"))
        except EOFError as why:
            raise self._ended() from why

    def _ended(self) -> Stopped:
        return Stopped(self._words.reason("demo-input-ended"))


class _Ending:
    """Ends with its input: rich takes the end of a stream for an empty line, which is a yes to what is suggested."""

    @classmethod
    def get_input(cls, console: Console, prompt: TextType, password: bool, stream: TextIO | None = None) -> str:
        if stream is None:
            return console.input(prompt)
        console.print(prompt, end="")
        line = stream.readline()
        if not line:
            raise EOFError
        return line.rstrip("\n")


class _Choice(_Ending, Prompt):
    pass


class _Stop(_Ending, Confirm):
    pass
