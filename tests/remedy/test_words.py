"""Every reason that a decision or a probe can give has words, in every language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import bot
from bot.adapters.files.knowledge import LANGUAGES, load_words
from bot.remedy.plan import PlanState

SOURCES = sorted((Path(bot.__file__).parent / "remedy").rglob("*.py"))
GIVEN = {key for path in SOURCES for key in re.findall(r'"(repair-[a-z-]+[a-z])"', path.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_reason_has_words(lang: str) -> None:
    assert not GIVEN - set(load_words(lang).reasons)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("state", sorted(set(PlanState) - {PlanState.CHOOSING}))
def test_every_end_of_a_plan_has_words(state: PlanState, lang: str) -> None:
    assert load_words(lang).reason(f"repair-plan-{state.value}")


def test_the_source_names_reasons() -> None:
    assert len(GIVEN) > 90
