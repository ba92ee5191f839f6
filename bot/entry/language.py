"""The language that a command was asked in: of its answer, and of why there is none."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

#: Where the contexts of a command line, which share it, keep what was asked for.
_KEPT = "gpu-autopsy.language"


class Language(StrEnum):
    """The languages of the answers."""

    EN = "en"
    KO = "ko"


def asked_in(context: typer.Context) -> Language:
    """What was asked for on this command line, as far as it was read."""
    return Language(context.meta.get(_KEPT, Language.EN))


def _kept(context: typer.Context, language: Language) -> Language:
    context.meta[_KEPT] = language
    return language


Lang = Annotated[Language, typer.Option(callback=_kept, help="Language of the answer.")]
