"""The cards of a repair as Slack messages: paragraphs, then one row of buttons that name their object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bot.knowledge.words import Words
from bot.model.cards import ButtonKind, Card, CardButton, Part
from bot.model.message import Block, Message
from bot.render.command import command_lines
from bot.render.lines import Lines
from bot.render.slack.parts import COMMAND_WIDTH
from bot.render.slack.pen import Pen, called, near
from bot.render.slack.push import push_text
from bot.render.slack.sheet import Sheet, context, section
from bot.render.visible import clipped, middle_cut, visible

#: What every action id of ours begins with; the kind follows, and a number where a card has several of a kind.
ACTION = "repair"
#: Lines to copy that stand in one block; more go into the next one, so that none is cut.
_BLOCK = 2_400
#: Buttons that Slack takes in one row: https://docs.slack.dev/reference/block-kit/blocks/actions-block
_MOST_BUTTONS = 25
#: The longest label of a button; its end stays, where the name of its object is.
_LABEL = 75


def card_message(card: Card, words: Words) -> Message:
    """The card as a message of its own."""
    pen = pen_for(words)
    lines = Lines(words)
    whole = lines.label("plan_whole")
    sheet = Sheet(lambda count: pen.prose(lines.label("cut", count=count, whole=whole)), kept=2)
    call = " ".join(called(one) for one in card.call)
    head = " · ".join(
        part
        for part in (
            call,
            pen.bold(card.state),
            pen.prose(card.cluster, 200),
            pen.prose(card.about, 300) if card.about else "",
        )
        if part
    )
    sheet.add(section(head, pen.bold(card.title)))
    for part in card.parts:
        sheet.add(*part_blocks(part, pen))
    text = push_text(card.state, card.cluster, card.about, card.urgent, _spoken(card))
    # Last, because the first words of a lock screen are for what is wrong.
    return Message(f"{text}\n{call}" if call else text, (*sheet.blocks(), *actions(card.buttons)))


def pen_for(words: Words) -> Pen:
    """The pen of a card, which says where the whole of a cut text is."""
    lines = Lines(words)
    return Pen(lines.label("cut_text", whole=lines.label("plan_whole")))


def part_blocks(part: Part, pen: Pen) -> list[Block]:
    """One paragraph, and below it its lines to copy."""
    told = [pen.prose(part.text, 1_500)] if part.text.strip() else []
    told += [" ".join(called(one) for one in part.people[:_MOST_BUTTONS])] if part.people else []
    told += [near(part.moment)] if part.moment else []
    if part.small:
        return [context(" ".join(told))] if told else []
    heading = pen.bold(part.heading) if part.heading else ""
    blocks = [section(heading, *told)] if heading or told else []
    return [*blocks, *(section(pen.code("\n".join(one), 2_900)) for one in _chunks(part.lines))]


def _chunks(lines: Sequence[str]) -> Iterator[list[str]]:
    """The lines, each broken where a shell allows it, in blocks that Slack takes whole."""
    chunk: list[str] = []
    size = 0
    for line in lines:
        broken = command_lines(line, COMMAND_WIDTH)
        length = sum(len(one) + 1 for one in broken)
        if chunk and size + length > _BLOCK:
            yield chunk
            chunk, size = [], 0
        chunk += broken
        size += length
    if chunk:
        yield chunk


def _spoken(card: Card) -> Iterator[str]:
    """What a screen reader says after the first line: the decision, what it is about, what can be pressed."""
    yield card.title
    for part in card.parts:
        if not part.small:
            yield ": ".join(one for one in (part.heading, part.text or " ".join(part.lines[:3])) if one)
    if card.buttons:
        yield " / ".join(one.label for one in card.buttons)


def actions(buttons: Sequence[CardButton]) -> tuple[Block, ...]:
    """The row of buttons; nothing where there is none."""
    if not buttons:
        return ()
    elements = [_button(one, place) for place, one in enumerate(buttons[:_MOST_BUTTONS])]
    return ({"type": "actions", "elements": elements},)


def _button(button: CardButton, place: int) -> dict[str, Any]:
    number = f":{place}" if button.kind is ButtonKind.CHOOSE else ""
    element: dict[str, Any] = {
        "type": "button",
        "action_id": f"{ACTION}:{button.kind.value}{number}",
        "text": plain_text(middle_cut(visible(button.label), _LABEL), _LABEL),
        "value": button.token.written(),
        "accessibility_label": middle_cut(visible(button.label), _LABEL),
    }
    if button.style:
        element["style"] = button.style
    if button.confirm is not None:
        asked = button.confirm
        element["confirm"] = {
            "title": plain_text(middle_cut(visible(asked.title), 100), 100),
            "text": plain_text(middle_cut(visible(asked.text), 300), 300),
            "confirm": plain_text(asked.yes, 30),
            "deny": plain_text(asked.no, 30),
            "style": "danger",
        }
    return element


def plain_text(text: str, limit: int) -> dict[str, Any]:
    """A text object without markup and without emoji, where Slack takes no other."""
    return {"type": "plain_text", "text": clipped(visible(text), limit) or "…", "emoji": False}
