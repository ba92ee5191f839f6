"""`gpu-autopsy lint`: are these signatures, links, words and runbooks fit for use? Exit status 0 yes, 1 no."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


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
) -> None:
    """Check the knowledge and the runbooks that ship with the bot, and your own beside them.

    Each problem is one line: file, field, reason. Exit status: 0 nothing wrong, 1 something wrong.
    """
    from bot.entry.wiring.linting import problems
    from bot.render.visible import visible

    found = problems(folder)
    for one in found:
        typer.echo(visible(str(one)))
    typer.echo(f"{len(found)} problems" if found else "nothing wrong")
    raise typer.Exit(1 if found else 0)
