"""The command line: `gpu-autopsy`."""

from __future__ import annotations

import typer

app = typer.Typer(no_args_is_help=True)


@app.callback()
def root() -> None:
    """Find the true root of a GPU outage on Kubernetes."""


def main() -> None:
    """Run the command line."""
    app()
