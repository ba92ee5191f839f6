"""`gpu-autopsy audit`: begin, verify and export the audit. Exit status 0 it holds, 1 it does not, 2 cannot tell."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.entry.diagnose import COULD_NOT_TELL
from bot.entry.language import Lang, Language

if TYPE_CHECKING:
    from bot.remedy.audit import Broken

app = typer.Typer(no_args_is_help=True, help="Begin, verify and export the audit of repairs.")

_ANCHOR = re.compile(r"(?:audit )?(\d+:[0-9a-f]+)")
_OldKeys = Annotated[
    list[Path] | None, typer.Option("--old-key", metavar="FILE", help="A key of earlier entries; may come repeatedly.")
]


@app.command()
def init(
    context: Annotated[str | None, typer.Option(metavar="NAME", help="Context of the kubeconfig.")] = None,
    kubeconfig: Annotated[Path | None, typer.Option(metavar="FILE", help="Another kubeconfig.")] = None,
    lang: Lang = Language.EN,
) -> None:
    """Begin the audit in a Redis that has none, and say which cluster it is of.

    Until then nothing is changed: it may be one that was wiped. Exit status 2: nothing was begun.
    """
    from bot.entry.wiring.audit import begin
    from bot.entry.wiring.journal import warnings_of
    from bot.entry.wiring.words import words
    from bot.narrate.reasons import in_words

    say = words(lang.value)
    done = begin(os.environ, kubeconfig, context, say)
    if not (done.new or done.bound):
        typer.echo(say.reason("cli-audit-there"), err=True)
        raise typer.Exit(COULD_NOT_TELL)
    if done.new:
        typer.echo(say.reason("cli-audit-begun"))
    if done.bound:
        typer.echo(say.told("cli-audit-bound", cluster=done.cluster))
    else:
        typer.echo(in_words(say, "cli-audit-unbound", {"why": done.why_no_cluster}), err=True)
    for warning in warnings_of(done.read_only, say):
        typer.echo(warning, err=True)


def _anchor(text: str) -> str:
    """What follows where a card or a claim says where the audit stood, with the word before it or without."""
    if (known := _ANCHOR.fullmatch(text)) is None:
        raise typer.BadParameter(repr(text))
    return known[1]


@app.command()
def verify(
    file: Annotated[Path | None, typer.Option(metavar="EXPORT", help="An export, instead of Redis.")] = None,
    anchors: Annotated[
        list[str] | None,
        typer.Option(
            "--anchor",
            parser=_anchor,
            metavar="NUMBER:MAC",
            help="An entry known from elsewhere, its MAC or the MAC's begin; as cards end, `audit NUMBER:MAC`.",
        ),
    ] = None,
    old_keys: _OldKeys = None,
    lang: Lang = Language.EN,
) -> None:
    """Check every entry, and name the first that does not fit. An export needs the key only."""
    from bot.entry.wiring.audit import check
    from bot.entry.wiring.words import words

    say = words(lang.value)
    checked = check(os.environ, file, old_keys or (), anchors or (), say)
    if checked.broken is not None:
        typer.echo(_told(checked.broken, say.reason(f"audit-{checked.broken.flaw}")))
        raise typer.Exit(1)
    if checked.anchor:
        typer.echo(say.told("audit-anchor", anchor=checked.anchor))
        raise typer.Exit(1)
    if not checked.entries:
        typer.echo(say.reason("audit-empty"), err=True)
        raise typer.Exit(COULD_NOT_TELL)
    typer.echo(say.told("audit-holds", count=checked.entries, last=checked.last))
    typer.echo(say.reason("audit-cannot-show"))


@app.command()
def export(
    incident: Annotated[str, typer.Option(metavar="ID", help="Of one incident only.")] = "",
    md: Annotated[bool, typer.Option("--md", help="The post-mortem of the incident, as Markdown.")] = False,
    lang: Lang = Language.EN,
) -> None:
    """Write the audit as JSON lines that verify offline, or an incident's post-mortem, to standard output."""
    from bot.entry.wiring.audit import exported, story_of
    from bot.entry.wiring.words import words

    if md and not incident:
        raise typer.BadParameter("--md needs --incident ID")
    if md:
        text = story_of(os.environ, incident, lang.value).encode()
    else:
        text = exported(os.environ, incident, words(lang.value))
    sys.stdout.buffer.write(text)


def _told(broken: Broken, why: str) -> str:
    number = f" ({broken.seq})" if broken.seq else ""
    return f"{broken.position}{number}: {why}"
