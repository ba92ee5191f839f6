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
