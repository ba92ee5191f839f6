"""What the desk says has words in every language, with the values that it gives, and no words hang loose."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import bot
from bot.adapters.files.knowledge import LANGUAGES, load_words

SOURCES = "\n".join(
    path.read_text(encoding="utf-8") for path in sorted((Path(bot.__file__).parent / "app").rglob("*.py"))
)
SAID = set(re.findall(r'"(desk-[a-z-]+)"', SOURCES))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_everything_that_is_said_has_words_and_nothing_else_has(lang: str) -> None:
    assert {key for key in load_words(lang).reasons if key.startswith("desk-")} == SAID


def test_the_languages_leave_the_same_blanks() -> None:
    first, *others = (load_words(lang) for lang in LANGUAGES)
    for key in sorted(SAID):
        blanks = set(re.findall(r"\{([a-z]+)\}", first.reason(key)))
        assert [set(re.findall(r"\{([a-z]+)\}", one.reason(key))) for one in others] == [blanks] * len(others), key
