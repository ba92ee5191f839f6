"""Slack's limits on a message, as a second opinion: the SDK's own validation, and what it does not check.

Figures: https://docs.slack.dev/reference/block-kit/blocks; the sum of a message's text was seen refused near 13,200
(bolt-js#2509).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from slack_sdk.models.blocks import Block as SdkBlock

from bot.model.message import Message
from tests.support.slack_limits import broken

#: The only things between angle brackets that our own code writes.
_OURS = re.compile(
    r"<!date\^\d+\^\{date_short_pretty\} \{time\}( \(\{ago\}\))?\|\d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC>"
    r"|<@[UW][A-Z0-9]{2,}>|<!subteam\^S[A-Z0-9]{2,}>"
)
_FENCED = re.compile(r"```\n.*?\n```", re.DOTALL)


def problems(message: Message) -> list[str]:
    """Everything that Slack would refuse, or that untrusted text could have done."""
    found = [*_text(message.text)]
    if not 0 < len(message.blocks) <= 50:
        found.append(f"{len(message.blocks)} blocks")
    total = 0
    for block in message.blocks:
        SdkBlock.parse(block).validate_json()  # type: ignore[union-attr]
        if block["type"] == "actions":
            found += broken([block])
            continue
        if block["type"] not in ("section", "context"):
            found.append(f"unknown type {block['type']}")
        for text in texts(block):
            total += len(text["text"])
            found += _mrkdwn(text)
    if total > 12_000:
        found.append(f"{total} characters in all")
    return found


def texts(block: dict[str, Any]) -> list[dict[str, Any]]:
    """The text objects of a block; of a row of buttons, their labels."""
    if block["type"] == "actions":
        return [element["text"] for element in block["elements"]]
    return [block["text"]] if "text" in block else list(block["elements"])


def written(message: Message) -> str:
    """All that the message shows."""
    return "\n".join(text["text"] for block in message.blocks for text in texts(block))


def _text(text: str) -> Iterator[str]:
    if not text.strip():
        yield "no text"
    if len(text) > 4_000:
        yield f"text of {len(text)} characters"
    yield from _loose(text)


def _mrkdwn(text: dict[str, Any]) -> Iterator[str]:
    if not 0 < len(text["text"]) <= 3_000:
        yield f"{len(text['text'])} characters in one text"
    if text["type"] != "mrkdwn" or text.get("verbatim") is not True:
        yield "not verbatim mrkdwn"
    if text["text"].count("```") % 2:
        yield "an open code block"
    yield from _loose(text["text"])


def _loose(text: str) -> Iterator[str]:
    rest = _OURS.sub("", text)
    if "<" in rest or ">" in rest:
        yield "angle brackets that are not ours"
    if re.search(r"&(?!amp;|lt;|gt;)", rest):
        yield "a cut or unescaped entity"
    prose = _FENCED.sub("", rest)
    if re.search(r"@\w|://", prose):
        yield "a mention or a link"
    if any(ord(char) < 32 and char != "\n" for char in text) or re.search(r"[\u202a-\u202e\u2066-\u2069]", text):
        yield "hidden characters"
