"""Puts the presenters together: the words of every language, with the operator's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.entry.presenter import Presenter
    from bot.entry.settings import PlanSettings


def presenters_of(settings: PlanSettings) -> dict[str, Presenter]:
    """The words of every language, by its code.

    Raises:
        ValueError: a file of words or a runbook is broken.
    """
    from bot.adapters.files.knowledge import LANGUAGES, load_words
    from bot.adapters.files.runbooks import runbook_names
    from bot.entry.presenter import Presenter

    runbooks = runbook_names(settings.knowledge)
    return {lang: Presenter(load_words(lang, settings.knowledge), settings.cluster, runbooks) for lang in LANGUAGES}
