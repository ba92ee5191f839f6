"""What was not seen, in words: each command that settles something appears once."""

from __future__ import annotations

from collections.abc import Iterable

from bot.model.findings import Blind
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


def _merged(many: list[Blind], phrases: Phrases) -> NotSeen:
    questions = {(code, one.subject): phrases.open_question(code, one) for one in many for code in one.codes}
    titles = list(dict.fromkeys(questions.values()))
    sections = list(dict.fromkeys(section.value for one in many for section in one.sections))
    named = titles[:_NAMED] if sections else titles
    text = "; ".join(named)
    if len(titles) > len(named):
        text = phrases.label("and_more", text=text, count=len(titles) - len(named))
    if sections:
        text = phrases.label("list_leaves_open", sections=", ".join(sections), questions=text)
    return NotSeen(
        what=text,
        why="; ".join(dict.fromkeys(phrases.reason(one) for one in many)),
        command=many[0].command,
        subject=str(many[0].subject),
        codes=tuple(dict.fromkeys(str(code) for code, _ in questions)),
    )
