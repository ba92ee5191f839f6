"""The command line: `gpu-autopsy`."""

from __future__ import annotations

import typer

app = typer.Typer(no_args_is_help=True)


@app.callback()
def root() -> None:
    """Find the true root of a GPU outage on Kubernetes."""


@app.command()
def serve() -> None:
    """Run the Slack bot until it is told to stop. Settings come from the environment."""
    import os

    from bot.entry.wiring.service import serve as run

    raise typer.Exit(run(os.environ))


def main() -> None:
    """Run the command line."""
    app()
