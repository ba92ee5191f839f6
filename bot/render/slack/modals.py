"""Forms of a repair: what a press opens before it is a request, and the details of a step, which only show.

Limits of a view: 100 blocks, a title of 24 characters, `private_metadata` of 3,000, an input of 3,000
(https://docs.slack.dev/reference/views, https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element).
"""

from __future__ import annotations

from typing import Any

from bot.knowledge.words import Words
from bot.model.cards import ButtonKind, Card, Part
from bot.model.message import Block
from bot.render.lines import Lines
from bot.render.slack.pen import Pen
from bot.render.slack.plan import ACTION, part_blocks, pen_for, plain_text
from bot.render.slack.sheet import MAX_TEXT, section

TYPED = "typed"
"""Block id of the one input of a form, which an error is shown at."""
INPUT = "text"
#: Slack's longest input; a longer paste goes into the thread as a file.
MAX_TYPED = 3_000
_MOST_BLOCKS = 100
_TITLE = 24
#: Where an answer may be left out.
_OPTIONAL = frozenset({ButtonKind.DENY, ButtonKind.REPORT})


def details_view(card: Card, words: Words) -> dict[str, Any]:
    """Everything that is known of a step, to read."""
    pen, lines = pen_for(words), Lines(words)
    blocks = [section(pen.bold(card.title), pen.prose(f"{card.state} · {card.cluster} · {card.about}"))]
    for part in card.parts:
        blocks += part_blocks(part, pen)
    return {
        "type": "modal",
        "callback_id": f"{ACTION}:{ButtonKind.DETAILS.value}",
        "title": plain_text(lines.label("form_details"), _TITLE),
        "close": plain_text(lines.label("form_close"), _TITLE),
        "blocks": blocks[:_MOST_BLOCKS],
    }


def form_view(kind: ButtonKind, title: str, asked: tuple[Part, ...], words: Words, metadata: str) -> dict[str, Any]:
    """A form with one input: a reason, or the output of a command.

    Args:
        kind: what is asked for.
        title: the step, as its card names it.
        asked: what to know before typing.
        words: the catalogue.
        metadata: what comes back with the form.
    """
    pen, lines = pen_for(words), Lines(words)
    return {
        "type": "modal",
        "callback_id": f"{ACTION}:{kind.value}",
        "private_metadata": metadata,
        "title": plain_text(lines.label(f"form_{kind.value}"), _TITLE),
        "submit": plain_text(lines.label("form_send"), _TITLE),
        "close": plain_text(lines.label("form_cancel"), _TITLE),
        "blocks": [*_head(title, asked, pen), _input(kind, lines)],
    }


def _head(title: str, asked: tuple[Part, ...], pen: Pen) -> list[Block]:
    blocks = [section(pen.bold(title))]
    for part in asked:
        blocks += part_blocks(part, pen)
    return blocks[: _MOST_BLOCKS - 1]


def _input(kind: ButtonKind, lines: Lines) -> Block:
    return {
        "type": "input",
        "block_id": TYPED,
        "optional": kind in _OPTIONAL,
        "label": plain_text(lines.label(f"form_{kind.value}_label"), MAX_TEXT),
        "hint": plain_text(lines.label(f"form_{kind.value}_hint"), MAX_TEXT),
        "element": {"type": "plain_text_input", "action_id": INPUT, "multiline": True, "max_length": MAX_TYPED},
    }
