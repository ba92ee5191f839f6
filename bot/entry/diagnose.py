"""`gpu-autopsy diagnose`: one answer in the terminal. Exit status 0 nothing wrong, 1 something wrong, 2 cannot tell."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.entry.language import Lang, Language
from bot.knowledge.base import PROVIDER
from bot.model.reasoned import Reasoned

if TYPE_CHECKING:
    from bot.app.ports import Cluster
    from bot.knowledge.words import Words
    from bot.model.refs import Ref
    from bot.model.report import Failure, Report

COULD_NOT_TELL = 2
_STATUS = {"healthy": 0, "broken": 1, "unknown": COULD_NOT_TELL}
#: Moments beyond these cannot be reckoned with, or are no time of a cluster.
_YEARS = range(1970, 9000)
_NAMED = 5


class NoOutput(Reasoned):
    """There is nobody to answer to."""


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
    if when.year not in _YEARS:
        raise typer.BadParameter(f"{text!r} lies outside of the years {_YEARS[0]} to {_YEARS[-1]}")
    return when


def _path(text: str) -> Path:
    """A file or a folder.

    Raises:
        BadParameter: it has no name; the current folder is `.`.
    """
    if not text.strip():
        raise typer.BadParameter("the name is empty")
    return Path(text)


_Refs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[REF]...",
        help="node/NAME, vm/NS/NAME, pod/NS/NAME, nodeclaim/NAME, nodepool/NAME, deploy/NS/NAME, job/NS/NAME, "
        "ds/NS/NAME, or a name that only one object bears. None: the whole cluster.",
    ),
]
_Folder = Annotated[
    Path | None, typer.Option("--from", parser=_path, metavar="DIR", help="Read files instead of a live cluster.")
]
_Journal = Annotated[
    Path | None,
    typer.Option(parser=_path, metavar="FILE", help="A host's journal, kernel log, /proc/swaps or fstab."),
]
_At = Annotated[
    datetime | None,
    typer.Option(parser=_moment, metavar="TIME", help="The moment from which ages count (RFC 3339)."),
]
_Json = Annotated[bool, typer.Option("--json", help="The answer as JSON, nothing left out.")]
_Whole = Annotated[
    bool, typer.Option("--all", help="Every quote, uncut, and every explanation; not only the most telling.")
]
_Context = Annotated[str | None, typer.Option(metavar="NAME", help="Context of the kubeconfig.")]
_Kubeconfig = Annotated[Path | None, typer.Option(parser=_path, metavar="FILE", help="Another kubeconfig.")]
_Knowledge = Annotated[
    Path | None,
    typer.Option(
        envvar="AUTOPSY_KNOWLEDGE",
        exists=True,
        file_okay=False,
        metavar="DIR",
        help="Your own signatures, links, words and runbooks.",
    ),
]
_Policy = Annotated[
    str,
    typer.Option(
        envvar="AUTOPSY_REPAIR_POLICY",
        metavar="NAME",
        help="Karpenter's provider, whose node repair policies apply.",
    ),
]


def diagnose(
    refs: _Refs = None,
    folder: _Folder = None,
    journal: _Journal = None,
    at: _At = None,
    lang: Lang = Language.EN,
    as_json: _Json = False,
    whole: _Whole = False,
    context: _Context = None,
    kubeconfig: _Kubeconfig = None,
    knowledge: _Knowledge = None,
    repair_policy: _Policy = PROVIDER,
) -> None:
    """Find the root of what is wrong, with its chain and evidence. Read-only.

    Exit status: 0 nothing wrong, 1 something wrong, 2 could not tell or could not read.
    """
    if folder is not None and (context is not None or kubeconfig is not None):
        raise typer.BadParameter("--from reads files: --context and --kubeconfig do not go with it")
    from bot.entry.wiring import diagnosis as wiring
    from bot.entry.wiring.words import words
    from bot.model.moment import Moment
    from bot.model.report import MomentSource

    catalogue = words(lang.value, knowledge)
    source = wiring.live(kubeconfig, context) if folder is None else wiring.dump(folder)
    _tell_ignored(source.ignored, catalogue)
    scope = scope_of(source.cluster, refs or [], catalogue)
    if journal is not None:
        source, unrecognised = wiring.with_journal(source, journal, scope)
        if unrecognised:
            told = catalogue.told("cli-lines-not-understood", file=str(journal), count=len(unrecognised))
            typer.echo(told, err=True)
    bot = wiring.investigator(source, knowledge, repair_policy)
    found = bot.investigate(scope, Moment(at, MomentSource.ASKED) if at else source.moment)
    answer = wiring.reported(found, catalogue, knowledge)
    _show(answer, catalogue, as_json=as_json, whole=whole)
    raise typer.Exit(_STATUS[answer.verdict.value])


def _tell_ignored(files: Sequence[str], say: Words) -> None:
    """Say which files were not read because nothing says what they hold."""
    if files:
        named, more = ", ".join(files[:_NAMED]), len(files) - _NAMED
        reason = "cli-files-ignored-and-more" if more > 0 else "cli-files-ignored"
        typer.echo(say.told(reason, files=named, more=more), err=True)


def scope_of(cluster: Cluster, refs: list[str], say: Words) -> tuple[Ref, ...]:
    """The references; a bare name is looked up.

    Raises:
        BadParameter: one is malformed, names nothing, or may mean several objects.
    """
    from bot.app.resolve import resolve
    from bot.model.refs import MalformedReference
    from bot.narrate.reasons import in_words

    if not refs:
        return ()
    try:
        found = resolve(cluster, " ".join(refs))
    except MalformedReference as why:
        raise typer.BadParameter(in_words(say, why.reason, why.values), param_hint="REF") from None
    if found.candidates:
        several = ", ".join(str(one) for one in found.candidates)
        raise typer.BadParameter(say.told("cli-several-objects", candidates=several), param_hint="REF")
    if found.unmatched or not found.refs:
        name, unread = repr(" ".join(found.unmatched or refs)), ", ".join(found.unread)
        reason = "cli-names-unread" if unread else "cli-no-object"
        raise typer.BadParameter(say.told(reason, name=name, sections=unread), param_hint="REF")
    return found.refs


def _show(answer: Report, catalogue: Words, *, as_json: bool, whole: bool) -> None:
    """Write the answer; whoever stopped reading has none, which is no verdict about the cluster.

    Raises:
        NoOutput: the standard output is closed.
    """
    if sys.stdout is None:
        raise NoOutput("cli-no-output")
    try:
        if as_json:
            write_json(answer)
        else:
            _write_tree(answer, catalogue, whole)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more when it ends, and would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(COULD_NOT_TELL) from None


def write_json(answer: Report | Failure) -> None:
    """Write JSON, which is UTF-8 whatever the terminal's encoding is (RFC 8259)."""
    from bot.render.document import document

    typer.echo(document(answer).encode())


def _write_tree(answer: Report, catalogue: Words, whole: bool) -> None:
    from rich.console import Console

    from bot.render.terminal import tree

    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            """Leave the status to us: rich would end with 1, which is a verdict."""
            raise BrokenPipeError

    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that cannot show a character shows its number.
        sys.stdout.reconfigure(errors="backslashreplace")
    Terminal(markup=False, highlight=False, emoji=False).print(tree(answer, catalogue, whole=whole))
