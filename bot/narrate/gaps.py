"""What was not seen, in words: each command that settles something appears once."""

from __future__ import annotations

from collections.abc import Iterable

from bot.model.findings import Blind, Code
from bot.model.refs import CLUSTER
from bot.model.report import NotSeen
from bot.narrate.phrases import Phrases

#: So many open questions are named where one unread list leaves many of them open; the codes name them all.
_NAMED = 3


def not_seen(blind: Iterable[Blind], phrases: Phrases) -> tuple[NotSeen, ...]:
    """Merge what the same command settles, in the order given."""
    groups: dict[tuple[str, str, str], list[Blind]] = {}
    for one in blind:
        # Without a command nothing says that two gaps are closed by the same look.
        key = (one.command, "", "") if one.command else ("", phrases.reason(one), str(one.subject))
        groups.setdefault(key, []).append(one)
    return tuple(_merged(many, phrases) for many in groups.values())


def _open(codes: Iterable[Code], phrases: Phrases) -> list[Code]:
    """The faults among them, which are what the links know; all of them where none is one.

    A check that was not asked says nothing of its circumstances and hazards either, but nobody looks for these.
    """
    faults = {code for pair in phrases.words.links for code in pair.split(">")}
    every = list(codes)
    return [code for code in every if code in faults] or every


def _merged(many: list[Blind], phrases: Phrases) -> NotSeen:
    codes = _open(dict.fromkeys(code for one in many for code in one.codes), phrases)
    questions = list(dict.fromkeys(phrases.open_question(code) for code in codes))
    sections = list(dict.fromkeys(section.value for one in many for section in one.sections))
    names = list(dict.fromkeys(one.subject.name for one in many if one.subject != CLUSTER))
    named = questions[:_NAMED] if sections else questions
    text = "; ".join(named)
    if len(questions) > len(named):
        text = phrases.label("and_more", text=text, count=len(questions) - len(named))
    if sections and any(one.subject == CLUSTER for one in many):
        text = phrases.label("list_leaves_open", sections=", ".join(sections), questions=text)
    elif names:
        text = f"{', '.join(names)}: {text}"
    return NotSeen(
        what=text,
        why="; ".join(dict.fromkeys(phrases.reason(one) for one in many)),
        command=many[0].command,
        subject=str(many[0].subject),
        codes=tuple(str(code) for code in codes),
    )
