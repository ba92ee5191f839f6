"""Shows Slack messages in a terminal, in the order in which a channel would get them."""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from bot.knowledge.blanks import fill
from bot.knowledge.words import Words
from bot.model.cards import ButtonKind, Token
from bot.model.incident import Place
from bot.model.message import Document, Message
from bot.render.slack.text import unescaped

#: Code comes first: nothing within it is markup. A fence that was cut off holds to the end.
_MARKUP = re.compile(
    r"```(?P<block>[\s\S]*?)(?:```|\Z)"
    r"|(?P<code>`[^`\n]+`)"
    r"|<!date\^(?P<date>\d+)\^[^|>]*\|[^>]*>"
    r"|(?P<called><@(?P<user>[UW][A-Z0-9]+)>|<!subteam\^(?P<group>S[A-Z0-9]+)>)"
    r"|(?<!\w)[*](?P<bold>(?!\s)(?:`[^`\n]+`|[^*`\n])+(?<!\s))[*](?!\w)"
)
_WIDTH = 100


COMMANDS = {
    ButtonKind.CHOOSE: "gpu-autopsy choose {plan} {part}",
    ButtonKind.APPROVE: "gpu-autopsy approve {plan} {part}",
    ButtonKind.DENY: "gpu-autopsy deny {plan} {part}",
    ButtonKind.DETAILS: "gpu-autopsy details {plan} {part}",
    ButtonKind.BREAK_GLASS: "gpu-autopsy break-glass {plan} {part}",
    ButtonKind.REPORT: "gpu-autopsy report {plan} {part} --file FILE",
    ButtonKind.HAPPENED: "gpu-autopsy resolve {plan} {part} happened",
    ButtonKind.DID_NOT: "gpu-autopsy resolve {plan} {part} did-not",
    ButtonKind.UNDO: "gpu-autopsy undo {plan} {part}",
    ButtonKind.TAKE: "gpu-autopsy take {plan}",
    ButtonKind.SILENCE: "gpu-autopsy silence {plan}",
    ButtonKind.POSTMORTEM: "gpu-autopsy postmortem {plan}",
}
"""What does in a terminal what a button does in Slack: one for every kind. `plan` may be the incident."""


class TerminalPoster:
    """`app.ports.Poster` on a console. Every message is untrusted text, never markup.

    Args:
        console: the terminal.
        words: what stands around a message.
        commands: whether buttons are shown as the commands that do the same; otherwise by their labels, as Slack
            shows them.
    """

    def __init__(self, console: Console, words: Words, *, commands: bool = False) -> None:
        self._console = console
        self._words = words
        self._button = _command if commands else _label
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def post(self, place: Place, message: Message) -> str:
        """Show a new message; threads are shown as such."""
        with self._lock:
            ts = f"{next(self._numbers)}.000000"
            where = f"{place.channel} · {self._words.label('terminal_thread')}" if place.thread else place.channel
            self._show(where, message)
            return ts

    def edit(self, place: Place, ts: str, message: Message) -> None:
        """Say in one line what a channel would replace in silence."""
        with self._lock:
            first = plain(message.text).splitlines()[0] if message.text else ""
            values = {"channel": place.channel, "number": ts.partition(".")[0], "text": first}
            self._console.print(Text(f"  {fill(self._words.label('terminal_edited'), values)}", style="dim"))

    def upload(self, place: Place, document: Document, message: Message) -> None:
        """Show the message, and below it the file as it is."""
        with self._lock:
            self._show(place.channel, message)
            self._console.print(Panel(Text(_printable(document.text)), title=Text(document.name), title_align="left"))

    def is_shared(self, channel: str) -> bool:
        """See `Poster.is_shared`: whoever sits there reads it."""
        return False

    def respond(self, response_url: str, message: Message) -> None:
        """Show what only the person who asked would see."""
        with self._lock:
            self._show(self._words.label("terminal_private"), message)

    def _show(self, where: str, message: Message) -> None:
        lines = [line for block in message.blocks for line in _lines(block, self._button)] or [message.text]
        body = Text("\n".join(plain(line) for line in lines))
        self._console.print(Panel(body, title=Text(where), title_align="left", width=min(_WIDTH, self._console.width)))


def _lines(block: dict[str, Any], button: Callable[[dict[str, Any]], str]) -> Iterator[str]:
    if block["type"] == "divider":
        yield ""
    if isinstance(block.get("text"), dict):
        yield block["text"]["text"]
    for field in block.get("fields", ()):
        yield field["text"]
    if block["type"] == "context":
        yield from (element["text"] for element in block["elements"] if "text" in element)
    if block["type"] == "actions":
        # One a line: a label names its object, and several of them do not fit side by side.
        yield from map(button, block["elements"])


def _label(element: dict[str, Any]) -> str:
    return f"[ {element['text']['text']} ]"


def _command(element: dict[str, Any]) -> str:
    """The label, and the command."""
    kind, token = ButtonKind(element["action_id"].split(":")[1]), Token.read(element["value"])
    return f"{element['text']['text']}: {COMMANDS[kind].format(plan=token.plan, part=token.part)}"


def plain(mrkdwn: str) -> str:
    """Slack's markup as plain text: dates in UTC, people by their ids, no fences and stars, no control characters.

    What stands between fences or backticks is a command or what was quoted: it stays as it is, stars and all.
    """
    return _printable(unescaped(_MARKUP.sub(_unmarked, mrkdwn)))


def _unmarked(hit: re.Match[str]) -> str:
    if hit["date"]:
        return datetime.fromtimestamp(int(hit["date"]), UTC).strftime("%Y-%m-%d %H:%M UTC")
    if hit["called"]:
        return f"@{hit['user'] or hit['group']}"
    return _MARKUP.sub(_unmarked, hit["bold"]) if hit["bold"] else hit["block"] or hit["code"] or ""


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() or sign == "\n" else "�" for sign in text)
