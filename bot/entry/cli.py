"""The command line: `gpu-autopsy`. What its commands load, they load when they run."""

from __future__ import annotations

import os
import sys
import traceback
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from bot.entry import audit
from bot.entry.diagnose import COULD_NOT_TELL, Language, diagnose, write_json
from bot.entry.lint import lint
from bot.entry.terminal import duty, plans, steps


class _Commands(TyperGroup):
    """Answers in JSON who asked for JSON, also where there is no answer."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; `ctx` is of a class that typer does not export."""
        asked = ctx.args
        try:
            return super().invoke(ctx)
        except (typer.Exit, typer.Abort):
            raise
        except Exception as why:  # whatever it is, it is raised again
            if "--json" in asked and sys.stdout is not None:
                from bot.model.report import Failure

                write_json(Failure(error=_told(why)))
            if _is_of_the_store(why):
                typer.echo(f"gpu-autopsy: {_told(why)}", err=True)
                raise typer.Exit(COULD_NOT_TELL) from why
            raise


app = typer.Typer(cls=_Commands, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None)
app.command()(diagnose)
app.add_typer(audit.app, name="audit")
app.command()(lint)
for command in (
    plans.repair,
    plans.choose,
    plans.abort,
    steps.approve,
    steps.deny,
    steps.break_glass,
    steps.report,
    steps.resolve,
    steps.undo,
    steps.details,
    duty.take,
    duty.silence,
    duty.postmortem,
    duty.freeze,
    duty.unfreeze,
):
    app.command()(command)
app.command("open")(duty.list_open)

_INTERRUPTED = 130
#: The demo was ended before its end, or did not come to the good one.
_NOT_REPAIRED = 1


@app.callback()
def root() -> None:
    """Find the true root of a GPU outage on Kubernetes."""


@app.command()
def demo(
    scenario: Annotated[str, typer.Argument(help="swap-kubelet or replacement-loop")] = "swap-kubelet",
    yes: Annotated[
        bool, typer.Option("--yes", help="Play through without asking: whoever is suggested approves.")
    ] = False,
    option: Annotated[
        str, typer.Option(metavar="ID", help="Another option of the runbook than the one that the story takes.")
    ] = "",
    lang: Annotated[Language, typer.Option(help="Language of all that is said.")] = Language.EN,
) -> None:
    """Play an outage in this terminal: embedded Redis, a simulated cluster, the bot as in Slack."""
    from bot.entry.demo.asking import Stopped
    from bot.entry.demo.ending import NotRepaired
    from bot.entry.wiring.demo import play

    try:
        play(scenario, ask=not yes, lang=lang.value, option=option)
    except (Stopped, NotRepaired) as why:
        typer.echo(f"\ngpu-autopsy: {why}", err=True)
        raise typer.Exit(_NOT_REPAIRED) from why


@app.command()
def execute() -> None:
    """Run the executor until it is told to stop: the one process that changes the cluster. Off by default."""
    from bot.entry.settings import take_secrets_out
    from bot.entry.wiring.execute import execute as run

    raise typer.Exit(run(take_secrets_out(os.environ)))


@app.command()
def serve() -> None:
    """Run the Slack bot until it is told to stop. Settings come from the environment."""
    from bot.entry.settings import take_secrets_out
    from bot.entry.wiring.service import serve as run

    raise typer.Exit(run(take_secrets_out(os.environ)))


def main() -> None:
    """Run the command line, and exit with its status."""
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    except Exception as why:  # whatever it is: status 1 would read as a fault of the cluster
        typer.echo(f"gpu-autopsy: {_told(why)}", err=True)
        sys.exit(COULD_NOT_TELL)


def _is_of_the_store(why: Exception) -> bool:
    """Whether Redis is out of reach or holds no journal: no fault of the program's, and no answer about the cluster."""
    from bot.app.repair.ports import NotWritten

    return isinstance(why, NotWritten)


def _told(why: Exception) -> str:
    """The reason in one line: ours are sentences that name what was read, others also say where they come from."""
    from bot.app.ports import NoSuchObject
    from bot.render.visible import visible

    if _is_of_the_store(why):
        return visible(f"Redis: {why}")
    if isinstance(why, typer.TyperException):
        return visible(why.format_message())
    if isinstance(why, NoSuchObject) or (isinstance(why, ValueError) and type(why).__module__.startswith("bot.")):
        return visible(str(why))
    frame = traceback.extract_tb(why.__traceback__)[-1]
    return visible(f"unexpected {type(why).__name__}: {why} ({frame.filename}:{frame.lineno})")
