"""What the commands of repair have in common: their options, who sits here, and how they end.

Who presses is whom the API server names for the kubeconfig in use; the configuration says which of these may. Exit
status 0: done; 1: refused, the reason is shown; 2: could not.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.entry.diagnose import COULD_NOT_TELL
from bot.entry.language import Language

if TYPE_CHECKING:
    from bot.app.requests import Press
    from bot.entry.terminal.session import Session
    from bot.remedy.plan import Plan

#: Seconds that the executor may take to dry-run what was asked for.
BUILDING = 60.0
_PAUSE = 0.5

PlanId = Annotated[str, typer.Argument(metavar="PLAN", help="Id of the plan, as its cards show it.")]
StepId = Annotated[str, typer.Argument(metavar="STEP", help="Id of the step.")]
IncidentId = Annotated[str, typer.Argument(metavar="INCIDENT", help="Id of the incident, as `open` lists it.")]
Reason = Annotated[str, typer.Option(metavar="TEXT", help="Why; it is shown and written down. Asked for if left out.")]
Context = Annotated[str | None, typer.Option(metavar="NAME", help="Context of the kubeconfig.")]
Kubeconfig = Annotated[Path | None, typer.Option(metavar="FILE", help="Another kubeconfig.")]
Wait = Annotated[float, typer.Option(metavar="SECONDS", help="How long the executor may take.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask again.")]


def open_session(lang: Language, context: str | None, kubeconfig: Path | None) -> Session:
    """The session of whoever sits here.

    Raises:
        ValueError: there is none; the text says why.
    """
    from rich.console import Console

    from bot.entry.wiring.terminal import session

    return session(os.environ, lang.value, kubeconfig=kubeconfig, context=context, console=Console())


def typed(session: Session, reason: str) -> str:
    """The reason, asked for where it was left out.

    Raises:
        BadParameter: see `in_words`.
    """
    return in_words(session, reason or str(typer.prompt(session.label("cli_why"), default="", show_default=False)))


def in_words(session: Session, reason: str) -> str:
    """The reason that was typed.

    Raises:
        BadParameter: it says nothing, as in Slack, where the form stays open.
    """
    if not reason.strip():
        raise typer.BadParameter(session.say("repair-reason-missing"))
    return reason


def ended(session: Session) -> None:
    """End the command: refused, or done, and then whether the store may lose it."""
    if session.refused:
        raise typer.Exit(1)
    for warning in session.warnings:
        typer.echo(warning, err=True)


def wait_for_plan(session: Session, press: Press, made: Callable[[], Plan | None], seconds: float) -> None:
    """Whoever may dry-run what was asked for builds the plan, which takes a moment, or refuses."""
    until = time.monotonic() + seconds
    while not session.refused:
        plan = made()
        if plan is not None:
            session.show(plan.id)
            break
        if not session.show_refusal(press):
            if time.monotonic() > until:
                typer.echo(session.say("cli-executor-silent", plan=press.plan), err=True)
                raise typer.Exit(COULD_NOT_TELL)
            time.sleep(_PAUSE)
    ended(session)
