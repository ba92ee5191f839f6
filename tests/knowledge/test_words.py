"""The catalogue says the same in every language, and has every label that the code asks for, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.adapters.files.knowledge import LANGUAGES, load_words
from bot.knowledge.blanks import blanks
from bot.knowledge.words import Words
from bot.model.diagnosis import Verdict
from bot.model.findings import Means
from bot.model.incident import State
from bot.model.report import MomentSource
from bot.model.sections import UnknownReason

BOT = Path(__file__).parent.parent.parent / "bot"
#: Labels that are looked up by the value of an enum.
BY_VALUE = {one.value for enum in (Verdict, State, MomentSource) for one in enum} | {
    f"{means.value}_{form}" for means in Means for form in ("by", "short")
}
_QUOTED = re.compile(r"""["']([a-z][a-z_-]+)["']""")


def texts(words: Words) -> dict[str, str]:
    """Every text of a language by its place."""
    return {
        **{f"codes.{key}": f"{one.title} {one.why} {one.open}" for key, one in words.codes.items()},
        **{f"links.{key}": text for key, text in words.links.items()},
        **{f"reasons.{key}": text for key, text in words.reasons.items()},
        **{f"labels.{key}": text for key, text in words.labels.items()},
    }


ENGLISH = texts(load_words("en"))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_language_says_the_same_things(lang: str) -> None:
    assert texts(load_words(lang)).keys() == ENGLISH.keys()


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("place", ENGLISH)
def test_blanks_agree_between_languages(place: str, lang: str) -> None:
    assert blanks(texts(load_words(lang)).get(place, "")) == blanks(ENGLISH[place])


@pytest.mark.parametrize("place", ENGLISH)
def test_no_brace_is_left_that_is_no_blank(place: str) -> None:
    assert not re.sub(r"\{[a-z][a-z0-9_-]*\}", "", ENGLISH[place]).count("{")


def test_labels_are_those_that_the_code_asks_for() -> None:
    sources = [path.read_text() for floor in ("narrate", "render") for path in (BOT / floor).rglob("*.py")]
    quoted = {key for source in sources for key in _QUOTED.findall(source)} | BY_VALUE
    asked = {key for source in sources for key in re.findall(r"""label\(\s*["']([a-z_-]+)["']""", source)} | BY_VALUE
    labels = set(load_words("en").labels)
    assert asked <= labels
    assert labels <= quoted


@pytest.mark.parametrize("reason", UnknownReason)
def test_every_way_not_to_read_a_section_has_words(reason: UnknownReason) -> None:
    assert load_words("en").reason(f"section-{reason.value}")
