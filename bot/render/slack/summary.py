"""The LLM's summary as a message of its own, marked as what it is."""

from __future__ import annotations

from bot.knowledge.words import Words
from bot.model.message import Message
from bot.model.summary import Summary
from bot.render.lines import Lines
from bot.render.slack.pen import Pen
from bot.render.slack.push import push_text
from bot.render.slack.sheet import context, section


def summary_message(summary: Summary, cluster: str, about: str, words: Words) -> Message:
    """Headline, claims with what they rest on, unknowns; on top that nothing is decided by it."""
    lines = Lines(words)
    pen = Pen(lines.label("cut_text", whole=lines.label("thread_whole")))
    title = lines.label("summary")
    blocks = [context(pen.prose(f"{cluster} · {about} · {title}", 900))]
    if summary.headline:
        blocks.append(section(pen.bold(summary.headline)))
    for one in summary.claims:
        rests = ", ".join(dict.fromkeys(f"{code} {subject}" for code, subject in one.cites))
        said = pen.prose(f"{lines.certainty(one.certainty)} {one.text}", 900)
        blocks.append(section(said, pen.prose(lines.label("rests_on", findings=rests), 900)))
    if summary.unknowns:
        told = (pen.prose(f"• {one}") for one in summary.unknowns)
        blocks.append(section(pen.bold(lines.label("not_seen")), *told))
    text = push_text(title, cluster, about, "", (summary.headline, *(one.text for one in summary.claims)))
    return Message(text, tuple(blocks))
