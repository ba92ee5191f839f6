"""`gpu-autopsy lint`: are these signatures, links, words and runbooks fit for use? Exit status 0 yes, 1 no."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.entry.language import Lang, Language


def lint(
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="[DIR]",
            exists=True,
            file_okay=False,
            help="A folder of your own signatures.toml, links.toml, words/ and runbooks/, as AUTOPSY_KNOWLEDGE names.",
        ),
    ] = None,
    lang: Lang = Language.EN,
) -> None:
    """Check the knowledge and the runbooks that ship with the bot, and your own beside them.

    Each problem is one line: file, field, reason. Exit status: 0 nothing wrong, 1 something wrong.
    """
    from bot.entry.wiring.linting import problems
    from bot.entry.wiring.words import words
    from bot.render.visible import visible

    found = problems(folder)
    for one in found:
        typer.echo(visible(str(one)))
    say = words(lang.value)
    typer.echo(say.filled("lint_problems", count=len(found)) if found else say.label("lint_nothing"))
    raise typer.Exit(1 if found else 0)
