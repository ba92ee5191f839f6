"""Short messages: the same alert again, the alert is over, a refusal or a question back."""

from __future__ import annotations

import re

from bot.knowledge.words import Words
from bot.model.incident import Incident
from bot.model.message import Message
from bot.render.lines import Lines
from bot.render.slack.pen import Pen
from bot.render.slack.push import push_text, written
from bot.render.slack.sheet import Sheet, section
from bot.render.slack.standing import standing_words

_USER = re.compile(r"[UW][A-Z0-9]{2,}")


def folded_message(incident: Incident, words: Words) -> Message:
    """The same incident again, and how often by now."""
    return _notice(incident, words, Lines(words).label("folded", count=incident.count))


def resolved_message(incident: Incident, words: Words) -> Message:
    """The alert no longer fires; nobody examined why."""
    return _notice(incident, words, Lines(words).label("resolved_text"))


def plain_message(text: str, words: Words, mention: str = "") -> Message:
    """A text of ours with other people's words in it, line by line.

    Args:
        text: the text, its blanks filled.
        words: the catalogue, for what has to be cut.
        mention: the Slack id of the one person who is called; anything else mentions nobody.
    """
    lines = Lines(words)
    pen = Pen(lines.label("cut_text", whole=lines.label("thread_whole")))
    sheet = Sheet(lambda count: pen.prose(lines.label("cut", count=count, whole=lines.label("thread_whole"))))
    call = f"<@{mention}> " if _USER.fullmatch(mention) else ""
    for place, line in enumerate(line for line in text.splitlines() if line.strip()):
        sheet.add(section((call if place == 0 else "") + pen.prose(line, 2_900)))
    return Message(call + written(text.splitlines()), sheet.blocks())


def _notice(incident: Incident, words: Words, text: str) -> Message:
    lines = Lines(words)
    pen = Pen(lines.label("cut_text", whole=lines.label("thread_whole")))
    about = incident.keys[-1].rpartition(" ")[2] if incident.keys else ""
    state = standing_words(incident, words)
    title = " · ".join((pen.bold(state), pen.prose(incident.cluster), *([pen.prose(about)] if about else ())))
    return Message(push_text(state, incident.cluster, about, text), (section(title), section(pen.prose(text))))
