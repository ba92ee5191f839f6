"""Slack's markup, written and read: what is safe in a message, and what one says, without its layout.

Bots put their words into `text`, `blocks` or `attachments`, often the same words into two of them. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

#: `<@U1>`, `<#C1|name>`, `<!here>`, `<https://x|label>`: https://docs.slack.dev/messaging/formatting-message-text
_ENTITY = re.compile(r"<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>")
_FENCE = re.compile(r"```\n?")


class Piece(msgspec.Struct, frozen=True):
    """One run of words. `markup` says whether Slack would read `<...>` and `&lt;` in it."""

    text: str
    markup: bool


def plain(text: str) -> str:
    """Marked-up text as people see it: links become their labels, entities their signs, fences go."""
    shown = _ENTITY.sub(_shown, _FENCE.sub("\n", text))
    return unescaped(shown)


def unescaped(text: str) -> str:
    """The three signs that Slack escapes, as they were written: the ampersand last, or a quoted escape becomes one."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def escaped(text: str) -> str:
    """Plain text, safe in a message: no link, no mention comes out of it."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def words_of(message: Mapping[str, Any]) -> str:
    """Everything that a message says, as plain text; a line that stands in two of its parts is told once."""
    seen: dict[str, None] = {}
    for piece in _message(message):
        for line in (plain(piece.text) if piece.markup else piece.text).splitlines():
            if line.strip():
                seen.setdefault(line.rstrip())
    return "\n".join(seen)


def markup_of(blocks: Iterable[Mapping[str, Any]]) -> str:
    """The words of blocks as one marked-up text, for where Slack does not take the blocks themselves."""
    parts = [piece.text if piece.markup else escaped(piece.text) for piece in _blocks(blocks)]
    return "\n".join(part for part in parts if part.strip())


def _shown(match: re.Match[str]) -> str:
    sign, target, label = match.groups()
    if sign == "!":
        return label or "@" + target.partition("^")[0]
    if sign:
        return sign + (label or target)
    return label or target.removeprefix("mailto:")


def _message(message: Mapping[str, Any]) -> Iterator[Piece]:
    yield from _strings(message, ("text",))
    yield from _blocks(_dicts(message.get("blocks")))
    for attachment in _dicts(message.get("attachments")):
        yield from _strings(attachment, ("pretext", "title", "text"))
        for field in _dicts(attachment.get("fields")):
            title, value = field.get("title"), field.get("value")
            yield Piece(": ".join(str(part) for part in (title, value) if part), True)
        parts = [*_blocks(_dicts(attachment.get("blocks"))), *_strings(attachment, ("footer",))]
        yield from parts
        if not parts and not any(attachment.get(key) for key in ("pretext", "title", "text", "fields")):
            yield from _strings(attachment, ("fallback",))


def _strings(holder: Mapping[str, Any], keys: Sequence[str]) -> Iterator[Piece]:
    for key in keys:
        value = holder.get(key)
        if isinstance(value, str) and value:
            yield Piece(value, True)


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list | tuple) else []


def _blocks(blocks: Iterable[Mapping[str, Any]]) -> Iterator[Piece]:
    for block in blocks:
        if block.get("type") in ("rich_text", "table"):
            yield Piece("".join(_rich(block)), False)
        else:
            yield from _texts(block)


def _texts(block: Mapping[str, Any]) -> Iterator[Piece]:
    for key in ("title", "text", "alt_text"):
        value = block.get(key)
        if isinstance(value, str):
            yield Piece(value, key == "text")
        elif isinstance(value, dict) and isinstance(value.get("text"), str):
            yield Piece(value["text"], value.get("type") == "mrkdwn")
    for key in ("fields", "elements"):
        for inner in _dicts(block.get(key)):
            if inner.get("type") in ("mrkdwn", "plain_text"):
                yield Piece(str(inner.get("text", "")), inner["type"] == "mrkdwn")


#: Parts of rich text that end a line.
_LINES = frozenset({"rich_text_section", "rich_text_preformatted", "rich_text_quote", "raw_text"})
#: Leaves of rich text: which field holds what people see, and the sign before it.
_LEAVES = {"text": ("text", ""), "emoji": ("name", ":"), "user": ("user_id", "@"), "raw_text": ("text", "")}


def _rich(part: Mapping[str, Any]) -> Iterator[str]:
    kind = str(part.get("type"))
    if kind == "link":
        yield str(part.get("text") or part.get("url") or "")
    elif kind in _LEAVES:
        key, sign = _LEAVES[kind]
        yield sign + str(part.get(key, "")) + (":" if kind == "emoji" else "")
    for inner in _dicts(part.get("elements")):
        yield from _rich(inner)
    for row in part.get("rows", ()) if kind == "table" else ():
        for cell in _dicts(row):
            yield from _rich(cell)
    if kind in _LINES:
        yield "\n"
