"""Commands about one step of a plan: what can be pressed on its card in Slack."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.entry.language import Lang, Language
from bot.entry.terminal.options import (
    BUILDING,
    Context,
    Kubeconfig,
    PlanId,
    Reason,
    StepId,
    Wait,
    Yes,
    ended,
    in_words,
    open_session,
    typed,
    wait_for_plan,
)
from bot.remedy.events import Resolution

if TYPE_CHECKING:
    from bot.remedy.plan import Plan


def approve(
    plan: PlanId,
    step: StepId,
    yes: Yes = False,
    lang: Lang = Language.EN,
    context: Context = None,
    kubeconfig: Kubeconfig = None,
) -> None:
    """Approve one step, exactly as it is shown."""
    from bot.app.requests import PressKind

    session = open_session(lang, context, kubeconfig)
    # Of a step that is not there the press says so.
    if (title := session.show_step(plan, step)) and not yes:
        typer.confirm(session.label("cli_approve", step=title, who=session.actor.id), abort=True)
    session.press(PressKind.APPROVE, plan, step)
    ended(session)


def deny(
    plan: PlanId,
    step: StepId,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why; it is written down.")] = "",
    lang: Lang = Language.EN,
    context: Context = None,
    kubeconfig: Kubeconfig = None,
) -> None:
    """Deny one step: a veto, which ends the plan."""
    from bot.app.requests import PressKind

    session = open_session(lang, context, kubeconfig)
    session.show_step(plan, step)
    # A veto needs no reason; one that is typed says something.
    session.press(PressKind.DENY, plan, step, reason=in_words(session, reason) if reason else "")
    ended(session)


def break_glass(
    plan: PlanId,
    step: StepId,
    reason: Reason = "",
    lang: Lang = Language.EN,
    context: Context = None,
    kubeconfig: Kubeconfig = None,
) -> None:
    """Approve a step alone where two are needed. Whoever was not asked is named, and called in Slack's thread."""
    from bot.app.requests import PressKind

    session = open_session(lang, context, kubeconfig)
    session.show_step(plan, step)
    session.press(PressKind.BREAK_GLASS, plan, step, reason=typed(session, reason))
    ended(session)


def report(
    plan: PlanId,
    step: StepId,
    file: Annotated[
        Path | None,
        typer.Option("--file", metavar="FILE", help="The outputs that the step's card wants; - reads standard input."),
    ] = None,
    lang: Lang = Language.EN,
    context: Context = None,
    kubeconfig: Kubeconfig = None,
) -> None:
    """Say that your own step on a host is done, with the outputs that its card wants."""
    from bot.app.requests import PressKind

    text = "" if file is None else _text(file)
    session = open_session(lang, context, kubeconfig)
    session.show_step(plan, step)
    session.press(PressKind.REPORT, plan, step, text=text)
    ended(session)


def resolve(
    plan: PlanId,
    step: StepId,
    result: Annotated[Resolution, typer.Argument(help="What became of it, as you know it.")],
    reason: Reason = "",
    lang: Lang = Language.EN,
    context: Context = None,
    kubeconfig: Kubeconfig = None,
) -> None:
    """Say what became of a step that the bot cannot tell. Takes two people, or one in a team of one."""
    from bot.app.requests import PressKind

    session = open_session(lang, context, kubeconfig)
    session.show_step(plan, step)
    session.press(PressKind.RESOLVE, plan, step, option=result.value, reason=typed(session, reason))
    ended(session)


def undo(
    plan: PlanId,
    step: StepId,
    wait: Wait = BUILDING,
    lang: Lang = Language.EN,
    context: Context = None,
    kubeconfig: Kubeconfig = None,
) -> None:
    """Take a temporary change of a step back, by a plan of its own that is then approved like any other."""
    from bot.app.requests import PressKind

    session = open_session(lang, context, kubeconfig)
    session.show_step(plan, step)
    press = session.press(PressKind.UNDO, plan, step)

    def undoing() -> Plan | None:
        return session.undoing(plan, step)

    wait_for_plan(session, press, undoing, wait)


def details(
    plan: PlanId,
    step: StepId,
    lang: Lang = Language.EN,
    context: Context = None,
    kubeconfig: Kubeconfig = None,
) -> None:
    """Show everything of a step: its whole digest, its parameters, who said what. Presses nothing."""
    session = open_session(lang, context, kubeconfig)
    session.show_details(plan, step)
    if session.refused:
        raise typer.Exit(1)


def _text(file: Path) -> str:
    """What the file holds, or what comes in where it is `-`; what is no text of a terminal is there as such.

    Raises:
        BadParameter: it cannot be read.
    """
    try:
        held = typer.get_binary_stream("stdin").read() if str(file) == "-" else file.read_bytes()
        return held.decode("utf-8", errors="replace")
    except OSError as why:
        raise typer.BadParameter(f"{file}: {why.strerror}", param_hint="--file") from None
