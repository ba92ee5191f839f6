"""Puts into words what the core gives by key: a reason, whose values may be reasons themselves, or a prediction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from bot.knowledge.blanks import blanks, fill
from bot.knowledge.words import MissingWords, Words
from bot.model.refs import Ref
from bot.remedy.rules import INSIDE, inside

Value = str | int | datetime
Values = Mapping[str, Value]
#: Makes of a value what may be shown.
Shown = Callable[[str], str]
#: Blanks that hold ids of steps or options of a runbook, several of them with commas between.
_SECTIONS = frozenset({"step", "waits", "other", "option"})


def in_words(words: Words, key: str, values: Values, shown: Shown = str) -> str:
    """The reason with its blanks filled.

    Args:
        words: the catalogue.
        key: of the reason.
        values: of its blanks. One may be a reason: with its own values beside it (`rules.because`), or with a detail
            behind it (`approver-lookup-failed timeout`). Anything else is somebody's words, which stay as they are.
        shown: what is made of words that are no reason.

    Raises:
        MissingWords: there is no such reason.
    """
    beside = inside(values)
    told = {name: _value(words, value, beside, shown) for name, value in values.items()}
    return fill(words.reason(key), told, "…").strip()


def with_titles(values: Values, title: Callable[[str], str]) -> Values:
    """The values of a reason, with what `title` says of a step or an option in the place of its id, unless nothing."""

    def told(ids: str) -> str:
        return ", ".join(f"“{title(one)}”" if title(one) else one for one in ids.split(", "))

    return {name: told(str(value)) if name in _SECTIONS else value for name, value in values.items()}


def with_root(words: Words, values: Values, subject: Ref) -> Values:
    """The values of a reason, with the title of what is repaired in the place of its code, also of a reason inside."""
    about = {"name": subject.name, "subject": str(subject)}
    named = {name for name in values if name in ("root", f"{INSIDE}root")}
    return {name: finding(words, str(value), about) if name in named else value for name, value in values.items()}


def finding(words: Words, code: str, about: Values, *, is_open: bool = False) -> str:
    """What was found, or could not be told, by its title; a code without words by its name."""
    try:
        found = words.code(code)
    except MissingWords:
        return code
    if is_open and found.open:
        return fill(found.open, about, "…")
    return fill(found.title if blanks(found.title) <= set(about) else found.bare or found.title, about, "…")


def predictions(words: Words, predicted: Mapping[str, int]) -> list[str]:
    """What a plan predicts, in the same words on its cards, at its end and afterwards."""
    return [words.filled(f"predicted_{name}", count=count) for name, count in predicted.items()]


def counted(words: Words, looks: Iterable[Mapping[str, str]]) -> str:
    """What the last of the looks that compare counted, and that it is not as predicted where it is not.

    Empty where none of them counted: not since when, or not at all.
    """
    told = [one for one in looks if "predicted" in one and one.get("count", "-") != "-"]
    if not told:
        return ""
    last = told[-1]
    count, predicted = last["count"], last["predicted"]
    return count if count == predicted else words.filled("predicted_otherwise", count=count, predicted=predicted)


def line_in_words(words: Words, line: str, beside: Values | None = None, shown: Shown = str) -> str:
    """A line that is a reason in words; any other as it is."""
    key, _, detail = line.partition(" ")
    text = words.reasons.get(key) if "-" in key else None
    if text is None:
        return shown(line)
    given = dict(beside or {})
    why = given.pop("why", None)
    if detail:
        given["detail"] = detail
    told = {"detail": "", **{name: _value(words, value, {}, shown) for name, value in given.items()}}
    if why is not None:
        told["why"] = _value(words, why, inside(beside or {}), shown)
    return fill(text, told, "…")


def _value(words: Words, value: Value, beside: Values, shown: Shown) -> Value:
    if not isinstance(value, str):
        return value
    return "\n".join(line_in_words(words, line, beside, shown) for line in value.split("\n"))
