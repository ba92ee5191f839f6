"""The words of each language, with the operator's own, and what tells in them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bot.knowledge.words import Words

if TYPE_CHECKING:
    from bot.entry.presenter import Presenter
    from bot.entry.settings import PlanSettings


def words(lang: str, knowledge: Path | None = None) -> Words:
    """The catalogue of a language.

    Raises:
        ValueError: the language is not there, or a file of words is broken.
    """
    from bot.adapters.files.knowledge import load_words

    return load_words(lang, knowledge)


def presenters_of(settings: PlanSettings) -> dict[str, Presenter]:
    """The words of every language, by its code.

    Raises:
        ValueError: a file of words or a runbook is broken.
    """
    from bot.adapters.files.knowledge import LANGUAGES
    from bot.adapters.files.runbooks import load_runbooks
    from bot.entry.presenter import Presenter

    books = load_runbooks(settings.knowledge)
    return {
        lang: Presenter(words(lang, settings.knowledge), settings.cluster, books.names, books.text)
        for lang in LANGUAGES
    }
