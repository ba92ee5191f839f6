"""Slack's limits on messages, as a check of our own: the SDK's validation misses some of them.

Figures: https://docs.slack.dev/reference/block-kit/blocks and the pages of the single elements.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

KNOWN = frozenset({"section", "header", "context", "actions", "divider", "image", "rich_text", "markdown"})
BLOCKS = 50
TEXT = 40_000
#: Refused near this many characters over all blocks: slackapi/bolt-js#2509.
ALL_TEXT = 13_200
MARKDOWN = 12_000
VIEW_BLOCKS = 100


def broken(blocks: list[dict[str, Any]]) -> list[str]:
    """What Slack would refuse in these blocks, each with the place where it is."""
    found = [f"{len(blocks)} blocks"] if len(blocks) > BLOCKS else []
    for index, block in enumerate(blocks):
        found += [f"blocks/{index}: {problem}" for problem in _block(block)]
    for key in ("block_id", "action_id"):
        ids = Counter(value for block in blocks for value in _values(block, key))
        found += [f"{key} {value} stands {count} times" for value, count in ids.items() if count > 1]
    markdown = sum(len(block.get("text", "")) for block in blocks if block.get("type") == "markdown")
    if markdown > MARKDOWN:
        found.append(f"{markdown} characters of markdown")
    return found


def broken_view(view: dict[str, Any]) -> list[str]:
    """What Slack would refuse in this view (https://docs.slack.dev/reference/views)."""
    found = [f"type {view.get('type')}"] if view.get("type") != "modal" else []
    blocks = view.get("blocks") or []
    if not 0 < len(blocks) <= VIEW_BLOCKS:
        found.append(f"{len(blocks)} blocks")
    for key in ("title", "submit", "close"):
        if key in view:
            found += [f"{key}: {problem}" for problem in _text(view[key], 24, {"plain_text"})]
    if "title" not in view:
        found.append("no title")
    inputs = [block for block in blocks if block.get("type") == "input"]
    if inputs and "submit" not in view:
        found.append("an input without submit")
    for key, most in (("private_metadata", 3000), ("callback_id", 255)):
        found += _longest(view, key, most)
    for index, block in enumerate(blocks):
        found += [f"blocks/{index}: {problem}" for problem in (_input(block) if block in inputs else _block(block))]
    if len(json.dumps(view)) > 250_000:
        found.append("more than 250 kB")
    return found


def characters(blocks: list[dict[str, Any]]) -> int:
    """All characters of the texts of these blocks."""
    return sum(len(value) for block in blocks for value in _values(block, "text"))


def _block(block: dict[str, Any]) -> Iterator[str]:
    kind = block.get("type")
    if kind not in KNOWN:
        yield f"unknown type {kind}"
    yield from _longest(block, "block_id", 255)
    if kind == "header":
        yield from _text(block.get("text"), 150, {"plain_text"})
    elif kind == "section":
        yield from _section(block)
    elif kind in ("context", "actions"):
        yield from _elements(kind, block.get("elements") or [])
    elif kind == "image":
        yield from _longest(block, "image_url", 3000)
        yield from _longest(block, "alt_text", 2000)
        if not block.get("alt_text"):
            yield "no alt_text"
    elif kind == "markdown" and not block.get("text"):
        yield "no text"


def _section(block: dict[str, Any]) -> Iterator[str]:
    fields = block.get("fields") or []
    if "text" not in block and not fields:
        yield "neither text nor fields"
    if "text" in block:
        yield from _text(block["text"], 3000)
    if len(fields) > 10:
        yield f"{len(fields)} fields"
    for field in fields:
        yield from _text(field, 2000)
    if "accessory" in block:
        yield from _button(block["accessory"])


def _input(block: dict[str, Any]) -> Iterator[str]:
    yield from _text(block.get("label"), 2000, {"plain_text"})
    if "hint" in block:
        yield from _text(block["hint"], 2000, {"plain_text"})
    element = block.get("element") or {}
    if element.get("type") != "plain_text_input" or not element.get("action_id"):
        yield "no plain_text_input"
    if not 0 < element.get("max_length", 3000) <= 3000:
        yield f"max_length {element['max_length']}"


def _elements(kind: str, elements: list[dict[str, Any]]) -> Iterator[str]:
    most = 10 if kind == "context" else 25
    if not 0 < len(elements) <= most:
        yield f"{len(elements)} elements"
    for element in elements:
        if kind == "actions":
            yield from _button(element)
        elif element.get("type") != "image":
            yield from _text(element, 3000)


def _button(element: dict[str, Any]) -> Iterator[str]:
    if element.get("type") != "button":
        return
    yield from _text(element.get("text"), 75, {"plain_text"})
    for key, most in (("value", 2000), ("url", 3000), ("action_id", 255), ("accessibility_label", 75)):
        yield from _longest(element, key, most)
    if not element.get("action_id"):
        yield "a button without an action_id"
    if element.get("style") not in (None, "primary", "danger"):
        yield f"style {element['style']}"
    confirm = element.get("confirm") or {}
    for key, most in (("title", 100), ("text", 300), ("confirm", 30), ("deny", 30)):
        if key in confirm:
            yield from _text(confirm[key], most)


def _text(
    text: Any, most: int, kinds: frozenset[str] | set[str] = frozenset({"plain_text", "mrkdwn"})
) -> Iterator[str]:
    if not isinstance(text, dict) or text.get("type") not in kinds:
        yield f"no text of type {'/'.join(sorted(kinds))}"
    elif not 0 < len(text.get("text", "")) <= most:
        yield f"text of {len(text.get('text', ''))} characters, 1 to {most} are allowed"


def _longest(holder: dict[str, Any], key: str, most: int) -> Iterator[str]:
    if len(holder.get(key) or "") > most:
        yield f"{key} of {len(holder[key])} characters, {most} are allowed"


def _values(value: Any, key: str) -> Iterator[str]:
    if isinstance(value, dict):
        found = value.get(key)
        if isinstance(found, str):
            yield found
        for inner in value.values():
            yield from _values(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from _values(inner, key)
