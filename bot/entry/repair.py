"""`gpu-autopsy repair` and its companions: the plans of Slack, seen and pressed from a terminal.

Who presses is whom the API server names for the kubeconfig in use; the configuration says which of these may. Exit
status 0: done; 1: refused, the reason is shown; 2: could not.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.entry.diagnose import COULD_NOT_TELL, Language

if TYPE_CHECKING:
    from bot.app.requests import Press
    from bot.entry.terminal import Front
    from bot.remedy.plan import Plan

#: Seconds that the executor may take to dry-run a choice.
_BUILDING = 60.0

_Plan = Annotated[str, typer.Argument(metavar="PLAN", help="Id of the plan, as its cards show it.")]
_Step = Annotated[str, typer.Argument(metavar="STEP", help="Id of the step.")]
_Lang = Annotated[Language, typer.Option(help="Language of the cards.")]
_Context = Annotated[str | None, typer.Option(metavar="NAME", help="Context of the kubeconfig.")]
_Kubeconfig = Annotated[Path | None, typer.Option(metavar="FILE", help="Another kubeconfig.")]
_Wait = Annotated[float, typer.Option(metavar="SECONDS", help="How long the executor may take.")]
_Yes = Annotated[bool, typer.Option("--yes", help="Do not ask again.")]


def repair(
    ref: Annotated[str, typer.Argument(metavar="REF", help="What is broken: node/NAME, nodepool/NAME, vm/NS/NAME ...")],
    option: Annotated[str, typer.Option(metavar="ID", help="The choice; asked for if it is left out.")] = "",
    journal: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A host's journal, kernel log, /proc/swaps or fstab.")
    ] = None,
    wait: _Wait = _BUILDING,
    lang: _Lang = Language.EN,
    context: _Context = None,
    kubeconfig: _Kubeconfig = None,
) -> None:
    """Show the plan for what is wrong with an object, and choose its way."""
    from bot.app.requests import PressKind
    from bot.entry.diagnose import scope_of
    from bot.remedy.plan import PlanState

    front = _front(lang, context, kubeconfig)
    scope = scope_of(front.cluster, [ref])
    if journal is not None:
        front.keep(journal, scope)
    plan = front.offer(scope)
    if plan is None:
        typer.echo(
            f"{ref}: no runbook for what is wrong here, or none of its options can be chosen,"
            " or a plan of it waits for a word about an unknown step"
        )
        raise typer.Exit(COULD_NOT_TELL)
    front.show(plan.id)
    if plan.state is PlanState.CHOOSING:
        press = front.press(PressKind.CHOOSE, plan, option=option or typer.prompt("Which option"))
        _wait_for_plan(front, press, lambda: _chosen(front.plan(plan.id)), wait)


def approve(
    plan: _Plan,
    step: _Step,
    yes: _Yes = False,
    lang: _Lang = Language.EN,
    context: _Context = None,
    kubeconfig: _Kubeconfig = None,
) -> None:
    """Approve one step, exactly as it is shown."""
    from bot.app.requests import PressKind

    front = _front(lang, context, kubeconfig)
    shown = _shown(front, plan, step)
    if not yes:
        typer.confirm(f"Approve {step} as {front.actor.id}?", abort=True)
    front.press(PressKind.APPROVE, shown, step)
    _ended(front)


def deny(
    plan: _Plan,
    step: _Step,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why; it is written down.")] = "",
    lang: _Lang = Language.EN,
    context: _Context = None,
    kubeconfig: _Kubeconfig = None,
) -> None:
    """Deny one step: a veto, which ends the plan."""
    from bot.app.requests import PressKind

    front = _front(lang, context, kubeconfig)
    front.press(PressKind.DENY, _shown(front, plan, step), step, reason=reason)
    _ended(front)


def report(
    plan: _Plan,
    step: _Step,
    file: Annotated[
        Path | None,
        typer.Option("--file", metavar="FILE", help="The outputs that the step's card wants; - reads standard input."),
    ] = None,
    lang: _Lang = Language.EN,
    context: _Context = None,
    kubeconfig: _Kubeconfig = None,
) -> None:
    """Say that your own step on a host is done, with the outputs that its card wants."""
    from bot.app.requests import PressKind

    text = "" if file is None else sys.stdin.read() if str(file) == "-" else _text(file)
    front = _front(lang, context, kubeconfig)
    front.press(PressKind.REPORT, _shown(front, plan, step), step, text=text)
    _ended(front)


def undo(
    plan: _Plan,
    step: _Step,
    wait: _Wait = _BUILDING,
    lang: _Lang = Language.EN,
    context: _Context = None,
    kubeconfig: _Kubeconfig = None,
) -> None:
    """Take a temporary change of a step back, by a plan of its own that is then approved like any other."""
    from bot.app.requests import PressKind

    front = _front(lang, context, kubeconfig)
    made = _shown(front, plan, step)
    press = front.press(PressKind.UNDO, made, step)
    _wait_for_plan(front, press, lambda: front.undoing(made, step), wait)


def freeze(
    reason: Annotated[str, typer.Argument(metavar="REASON", help="Why; it is shown and written down.")],
    lang: _Lang = Language.EN,
    context: _Context = None,
    kubeconfig: _Kubeconfig = None,
) -> None:
    """Stop everything that the bot would change. One approver is enough."""
    from bot.app.requests import PressKind

    front = _front(lang, context, kubeconfig)
    front.press(PressKind.FREEZE, reason=reason)
    _ended(front)


def unfreeze(lang: _Lang = Language.EN, context: _Context = None, kubeconfig: _Kubeconfig = None) -> None:
    """Let it go on. Takes two people, or one in a team of one."""
    from bot.app.requests import PressKind

    front = _front(lang, context, kubeconfig)
    front.press(PressKind.UNFREEZE)
    _ended(front)


def list_open(lang: _Lang = Language.EN, context: _Context = None, kubeconfig: _Kubeconfig = None) -> None:
    """List open incidents: whose they are, what they wait for, which mitigations are to be taken back."""
    from bot.app.requests import PressKind

    _front(lang, context, kubeconfig).press(PressKind.OPEN)


def execute() -> None:
    """Run the executor until it is told to stop: the one process that changes the cluster. Off by default."""
    from bot.entry.settings import take_secrets_out
    from bot.entry.wiring.execute import execute as run

    raise typer.Exit(run(take_secrets_out(os.environ)))


def _front(lang: Language, context: str | None, kubeconfig: Path | None) -> Front:
    from rich.console import Console

    from bot.entry.wiring.terminal import front

    return front(os.environ, lang.value, kubeconfig=kubeconfig, context=context, console=Console())


def _shown(front: Front, plan_id: str, step: str) -> Plan:
    """The plan, its step shown.

    Raises:
        BadParameter: there is none.
    """
    plan = front.plan(plan_id)
    if plan is None:
        raise typer.BadParameter(f"no plan {plan_id!r} is kept", param_hint="PLAN")
    if step not in {one.action.step for one in plan.steps}:
        known = ", ".join(one.action.step for one in plan.steps) or "none yet: choose first"
        raise typer.BadParameter(f"plan {plan_id} has no step {step!r} ({known})", param_hint="STEP")
    front.show_step(plan, step)
    return plan


def _chosen(plan: Plan | None) -> Plan | None:
    from bot.remedy.plan import PlanState

    return plan if plan is not None and plan.state is not PlanState.CHOOSING else None


def _wait_for_plan(front: Front, press: Press, made: Callable[[], Plan | None], seconds: float) -> None:
    """Whoever may dry-run what was asked for builds the plan, which takes a moment, or refuses."""
    until = time.monotonic() + seconds
    while not front.refused:
        plan = made()
        if plan is not None:
            front.show(plan.id)
            return
        if not front.show_refusal(press):
            if time.monotonic() > until:
                typer.echo(f"The executor has not answered on plan {press.plan} yet: gpu-autopsy open", err=True)
                raise typer.Exit(COULD_NOT_TELL)
            time.sleep(0.5)
    _ended(front)


def _ended(front: Front) -> None:
    if front.refused:
        raise typer.Exit(1)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError as why:
        raise typer.BadParameter(f"{file}: {why.strerror}", param_hint="--file") from None
