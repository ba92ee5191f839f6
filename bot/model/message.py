"""A message as Slack takes it."""

from __future__ import annotations

from typing import Any

import msgspec

#: One Block Kit block, as Slack's JSON has it.
Block = dict[str, Any]


class Message(msgspec.Struct, frozen=True):
    """`text` is what a push notification and a screen reader say, `blocks` are what the channel shows."""

    text: str
    blocks: tuple[Block, ...] = ()


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """A text that no message has room for: the name of its file, and what stands in it."""

    name: str
    text: str
