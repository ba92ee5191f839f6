"""Commands about a plan as a whole: to get one for what is broken, to choose its way, to give it up."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.entry.diagnose import COULD_NOT_TELL
from bot.entry.language import Lang, Language
from bot.entry.terminal.options import (
    BUILDING,
    Context,
    Kubeconfig,
    PlanId,
    Reason,
    Wait,
    ended,
    open_session,
    typed,
    wait_for_plan,
)

if TYPE_CHECKING:
    from bot.entry.terminal.session import Session
    from bot.remedy.plan import Plan


def repair(
    ref: Annotated[str, typer.Argument(metavar="REF", help="What is broken: node/NAME, nodepool/NAME, vm/NS/NAME ...")],
    option: Annotated[str, typer.Option(metavar="ID", help="The choice; asked for if it is left out.")] = "",
    journal: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A host's journal, kernel log, /proc/swaps or fstab.")
    ] = None,
    wait: Wait = BUILDING,
    lang: Lang = Language.EN,
    context: Context = None,
    kubeconfig: Kubeconfig = None,
) -> None:
    """Show the plan for what is wrong with an object, and choose its way."""
    from bot.entry.diagnose import scope_of
    from bot.remedy.plan import PlanState

    session = open_session(lang, context, kubeconfig)
    scope = scope_of(session.cluster, [ref], session.words)
    plan = session.offer(scope, journal)
    if plan is None:
        typer.echo(session.say("cli-no-plan", ref=ref))
        raise typer.Exit(COULD_NOT_TELL)
    session.show(plan.id)
    # Another way than was chosen already is pressed too: who decides refuses it, and says who chose what.
    if plan.state is PlanState.CHOOSING or option not in ("", plan.option):
        _choose(session, plan.id, option, wait)


def choose(
    plan: PlanId,
    option: Annotated[
        str, typer.Argument(metavar="[OPTION]", help="Id of the option; asked for if it is left out.")
    ] = "",
    wait: Wait = BUILDING,
    lang: Lang = Language.EN,
    context: Context = None,
    kubeconfig: Kubeconfig = None,
) -> None:
    """Show a plan, and choose its way."""
    session = open_session(lang, context, kubeconfig)
    session.show(plan)
    _choose(session, plan, option, wait)


def abort(
    plan: PlanId,
    reason: Reason = "",
    lang: Lang = Language.EN,
    context: Context = None,
    kubeconfig: Kubeconfig = None,
) -> None:
    """Give a plan up: what was not sent ends at once, what was sent still gets its outcome."""
    from bot.app.requests import PressKind

    session = open_session(lang, context, kubeconfig)
    session.press(PressKind.ABORT, plan, reason=typed(session, reason))
    ended(session)


def _choose(session: Session, plan_id: str, option: str, wait: float) -> None:
    from bot.app.requests import PressKind

    wanted = option or str(typer.prompt(session.label("cli_which_option")))
    press = session.press(PressKind.CHOOSE, plan_id, option=wanted)

    def chosen() -> Plan | None:
        plan = session.plan(plan_id)
        ours = plan is not None and (plan.option, plan.chosen_by) == (wanted, session.actor)
        return plan if ours else None

    wait_for_plan(session, press, chosen, wait)
