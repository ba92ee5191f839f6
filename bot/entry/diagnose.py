"""`gpu-autopsy diagnose`: one answer in the terminal. Exit status 0 nothing wrong, 1 something wrong, 2 cannot tell."""

from __future__ import annotations

import os
import sys
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from bot.app.ports import Cluster
    from bot.knowledge.words import Words
    from bot.model.refs import Ref
    from bot.model.report import Report

COULD_NOT_TELL = 2
_STATUS = {"healthy": 0, "broken": 1, "unknown": COULD_NOT_TELL}


class Language(StrEnum):
    """The languages of the answers."""

    EN = "en"
    KO = "ko"


def _moment(text: str) -> datetime:
    """A point in time as RFC 3339 has it.

    Raises:
        BadParameter: it is none, or has no zone.
    """
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no RFC 3339 time like 2026-11-30T06:23:11Z") from None
    if when.tzinfo is None or "T" not in text.upper():
        raise typer.BadParameter(f"{text!r} needs date, time and zone, like 2026-11-30T06:23:11Z")
    return when


def diagnose(
    refs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[REF]...",
            help="node/NAME, vm/NS/NAME, pod/NS/NAME, nodeclaim/NAME, nodepool/NAME, deploy/NS/NAME, job/NS/NAME, "
            "ds/NS/NAME, or a name that only one object bears. None: the whole cluster.",
        ),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--from", metavar="DIR", help="Read files instead of a live cluster.")
    ] = None,
    journal: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A host's journal, kernel log, /proc/swaps or fstab.")
    ] = None,
    at: Annotated[
        datetime | None,
        typer.Option(parser=_moment, metavar="TIME", help="The moment from which ages count (RFC 3339)."),
    ] = None,
    lang: Annotated[Language, typer.Option(help="Language of the answer.")] = Language.EN,
    as_json: Annotated[bool, typer.Option("--json", help="The answer as JSON, nothing left out.")] = False,
    whole: Annotated[
        bool, typer.Option("--all", help="Every quote, uncut, and every explanation; not only the most telling.")
    ] = False,
    context: Annotated[str | None, typer.Option(metavar="NAME", help="Context of the kubeconfig.")] = None,
    kubeconfig: Annotated[Path | None, typer.Option(metavar="FILE", help="Another kubeconfig.")] = None,
) -> None:
    """Find the root of what is wrong, with its chain and evidence. Read-only.

    Exit status: 0 nothing wrong, 1 something wrong, 2 could not tell or could not read.
    """
    if folder is not None and (context is not None or kubeconfig is not None):
        raise typer.BadParameter("--from reads files: --context and --kubeconfig do not go with it")
    from bot.entry.wiring import diagnosis as wiring
    from bot.model.moment import Moment
    from bot.model.report import MomentSource

    catalogue = wiring.words(lang.value)
    source = wiring.live(kubeconfig, context) if folder is None else wiring.dump(folder)
    scope = scope_of(source.cluster, refs or [])
    if journal is not None:
        source, unrecognised = wiring.with_journal(source, journal, scope)
        if unrecognised:
            typer.echo(f"{journal}: {len(unrecognised)} lines were not understood", err=True)
    bot = wiring.investigator(source)
    found = bot.investigate(scope, Moment(at, MomentSource.ASKED) if at else source.moment)
    answer = wiring.reported(found, catalogue)
    _show(answer, catalogue, as_json=as_json, whole=whole)
    raise typer.Exit(_STATUS[answer.verdict.value])


def scope_of(cluster: Cluster, refs: list[str]) -> tuple[Ref, ...]:
    """The references; a bare name is looked up.

    Raises:
        BadParameter: one is malformed, names nothing, or may mean several objects.
    """
    from bot.app.resolve import resolve
    from bot.model.refs import MalformedReference

    if not refs:
        return ()
    try:
        found = resolve(cluster, " ".join(refs))
    except MalformedReference as why:
        raise typer.BadParameter(str(why), param_hint="REF") from None
    if found.candidates:
        several = ", ".join(str(one) for one in found.candidates)
        raise typer.BadParameter(f"several objects bear this name: {several}", param_hint="REF")
    if found.unmatched or not found.refs:
        unread = f" (not looked up in {', '.join(found.unread)}: could not be read)" if found.unread else ""
        raise typer.BadParameter(f"{' '.join(found.unmatched or refs)!r} names no object{unread}", param_hint="REF")
    return found.refs


def _show(answer: Report, catalogue: Words, *, as_json: bool, whole: bool) -> None:
    """Write the answer; whoever stopped reading has none, which is no verdict about the cluster."""
    try:
        if as_json:
            _write_json(answer)
        else:
            _write_tree(answer, catalogue, whole)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more when it ends, and would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(COULD_NOT_TELL) from None


def _write_json(answer: Report) -> None:
    import msgspec

    typer.echo(msgspec.json.format(msgspec.json.encode(answer), indent=2).decode())


def _write_tree(answer: Report, catalogue: Words, whole: bool) -> None:
    from rich.console import Console

    from bot.render.terminal import tree

    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            """Leave the status to us: rich would end with 1, which is a verdict."""
            raise BrokenPipeError

    Terminal(markup=False, highlight=False, emoji=False).print(tree(answer, catalogue, whole=whole))
