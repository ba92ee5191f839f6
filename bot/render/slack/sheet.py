"""Collects the blocks of one message and never lets it grow beyond what Slack takes.

Limits: 50 blocks a message, 3,000 characters a text, and about 13,200 in all, where Slack refused a message as too
long (bolt-js#2509); https://docs.slack.dev/reference/block-kit/blocks for the first two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bot.model.message import Block

MAX_BLOCKS = 50
MAX_TEXT = 3_000
MAX_TOTAL = 12_000
#: Kept free for the line that says what was left out.
_RESERVE = 600


def section(*lines: str) -> Block:
    """A paragraph of written mrkdwn; empty lines are left out.

    Raises:
        ValueError: the lines are longer than Slack allows; each piece is cut before it comes here.
    """
    text = "\n".join(line for line in lines if line)
    if not 0 < len(text) <= MAX_TEXT:
        raise ValueError(f"a section has 1 to {MAX_TEXT} characters, not {len(text)}")
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def context(text: str) -> Block:
    """A small line below."""
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": text, "verbatim": True}]}


class Sheet:
    """One message. Items go in whole or not at all; from the first that does not fit on, they are counted.

    Args:
        left_out: the line that says how many are missing.
        kept: blocks that are kept free for what comes after, such as buttons.
    """

    def __init__(self, left_out: Callable[[int], str], kept: int = 0) -> None:
        self._left_out = left_out
        self._most = MAX_BLOCKS - kept
        self._blocks: list[Block] = []
        self._size = 0
        self._missing = 0

    def add(self, *item: Block) -> None:
        """Put in what belongs together."""
        size = sum(_size(block) for block in item)
        fits = len(self._blocks) + len(item) < self._most and self._size + size <= MAX_TOTAL - _RESERVE
        if self._missing or not fits:
            self._missing += 1
            return
        self._blocks += item
        self._size += size

    def add_list(self, heading: str, items: Iterable[str]) -> None:
        """A heading with its items, close together; without items no heading. The heading stays with the first."""
        for place, item in enumerate(items):
            if place == 0:
                self.add(section(heading, item))
            elif not self._continues(item):
                self.add(section(item))

    def _continues(self, item: str) -> bool:
        """Put one more item into the last paragraph, if it takes it."""
        if self._missing:
            return False
        last = self._blocks[-1]
        text = f"{last['text']['text']}\n{item}"
        if len(text) > MAX_TEXT or self._size + len(item) + 1 > MAX_TOTAL - _RESERVE:
            return False
        self._blocks[-1] = section(text)
        self._size += len(item) + 1
        return True

    def blocks(self) -> tuple[Block, ...]:
        """What fits, and the line that says how many items do not."""
        if not self._missing:
            return tuple(self._blocks)
        return (*self._blocks, context(self._left_out(self._missing)))


def _size(block: Block) -> int:
    texts = [block["text"]] if "text" in block else block["elements"]
    return sum(len(text["text"]) for text in texts)
