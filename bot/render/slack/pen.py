"""Writes untrusted text as Slack's mrkdwn, so that none of it is markup, and cuts what is too long.

Slack has no escape for its marks (`*_~` and backticks), so marks that could open or close something are replaced by
look-alikes in prose; quotes and commands stand in code blocks, where they keep every character. Text objects carry
`verbatim`, so that Slack itself makes no links and mentions of them either
(https://docs.slack.dev/reference/block-kit/composition-objects/text-object).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

from bot.knowledge.blanks import moment
from bot.render.slack.text import escaped
from bot.render.visible import visible

_MARKS = {"*": "∗", "_": "ˍ", "~": "∼", "`": "ˋ"}
_MARK = re.compile(r"(?<!\w)[*_~`]|[*_~`](?!\w)")
#: Mentions, links, emoji and the sign of a quotation: a zero-width space behind their first sign ends them.
_OPENING = re.compile(r"@(?=\w)|:(?=//)|:(?=[a-z_+-][\w+-]*:)")
_FENCE = re.compile(r"`{3,}")
_MOMENT = re.compile(r"\b(\d{4}-\d{2}-\d{2} \d{2}:\d{2}) UTC\b")
_BREAK = "\u200b"
#: An actor as it is stored: `slack:T0TEAM/U0ONCALL`, `slack:group/S0GROUP`.
_SLACK_ACTOR = re.compile(r"slack:(?:(group)/(S[A-Z0-9]{2,})|[a-zA-Z0-9]*/([UW][A-Z0-9]{2,}))")


class Pen:
    """Writes the texts of one message; `cut_note` says that text was cut and where the whole is."""

    def __init__(self, cut_note: str) -> None:
        self._cut_note = plain(cut_note)

    def prose(self, text: str, limit: int = 600) -> str:
        """Running text of at most `limit` characters as Slack counts them; moments become the reader's own time."""
        return self._within(visible(text), limit, lambda part: _MOMENT.sub(_local, plain(part)), " ")

    def bold(self, text: str, limit: int = 400) -> str:
        """The same, in bold."""
        return f"*{self.prose(text, limit - 2)}*"

    def code(self, text: str, limit: int = 900) -> str:
        """A code block of its own, every line as it stands."""
        shown = "\n".join(visible(line) for line in text.splitlines())
        body = self._within(shown, limit - 8, _in_code, "\n")
        return f"```\n{body}\n```"

    def _within(self, text: str, limit: int, write: Callable[[str], str], gap: str) -> str:
        written = write(text)
        if len(written) <= limit:
            return written
        room = limit - len(self._cut_note) - len(gap)
        kept = text[:room]
        while len(written := write(kept)) > room:
            # Signs grow when they are escaped, five times at most: take away what is surely too much, and look again.
            kept = kept[: len(kept) - max(1, (len(written) - room) // 5)]
        return f"{written.rstrip()}{gap}{self._cut_note}"


def near(when: datetime) -> str:
    """A moment as the reader's own time, and how far away it is (`{ago}` is Slack's)."""
    return f"<!date^{int(when.timestamp())}^{{date_short_pretty}} {{time}} ({{ago}})|{moment(when)}>"


def called(actor: str) -> str:
    """Calls one person or one group of Slack; any other actor is written by its name, and nobody is called."""
    hit = _SLACK_ACTOR.fullmatch(actor)
    if hit is None:
        return plain(actor)
    return f"<!subteam^{hit[2]}>" if hit[1] else f"<@{hit[3]}>"


def plain(text: str) -> str:
    """Text without any markup, for the push notification and inside prose."""
    shown = _MARK.sub(lambda mark: _MARKS[mark[0]], visible(text))
    shown = _OPENING.sub(lambda sign: sign[0] + _BREAK, shown)
    return escaped(_BREAK + shown if shown.startswith(">") else shown)


def _in_code(text: str) -> str:
    return escaped(_FENCE.sub(lambda fence: _MARKS["`"] * len(fence[0]), text))


def _local(hit: re.Match[str]) -> str:
    try:
        when = datetime.strptime(hit[1], "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
    except ValueError:  # digits in the form of a time that is none
        return hit[0]
    return f"<!date^{int(when.timestamp())}^{{date_short_pretty}} {{time}}|{hit[0]}>"
