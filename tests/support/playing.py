"""The demos, really played: what the terminal showed, and the post-mortem of what was then kept.

A play waits for world time, hardly ever for the processor: those that are begun together take little longer than one.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from functools import cache
from io import StringIO
from multiprocessing import get_context
from typing import NamedTuple, ParamSpec, TypeVar

from rich.console import Console

from bot.adapters.files.knowledge import load_words
from bot.adapters.files.runbooks import load_runbooks
from bot.adapters.redis.client import Keys, connect
from bot.adapters.redis.embedded import EmbeddedServer
from bot.adapters.redis.incidents import RedisIncidents
from bot.adapters.redis.reports import RedisReports
from bot.entry.demo.asking import Asker, AtTerminal, Nobody
from bot.entry.wiring.audit import told_story
from bot.entry.wiring.demo import CLUSTER, Rehearsal, rehearsal
from bot.remedy.audit import AuditKey
from tests.support.redis import binary

_LANG = "en"
#: Two for each processor of a small machine: world time must not run away from who plays.
_AT_ONCE = 4
P = ParamSpec("P")
T = TypeVar("T")


class Played(NamedTuple):
    """What the terminal showed, as one line, and the post-mortem."""

    shown: str
    postmortem: str


@cache
def _processes() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(_AT_ONCE, mp_context=get_context("spawn"))


def begun(play: Callable[P, T], *args: P.args, **options: P.kwargs) -> Future[T]:
    """A play that goes on in a process of its own."""
    return _processes().submit(play, *args, **options)


@cache
def demo(scenario: str, typed: str | None = None, option: str = "") -> Future[Played]:
    """A demo on its way to its repaired end, with what somebody typed or as is suggested: half a minute, once a run."""
    return begun(_played, scenario, typed, option)


def _played(scenario: str, typed: str | None, option: str) -> Played:
    shown = StringIO()
    console = Console(file=shown, width=200)
    asker: Asker = Nobody() if typed is None else AtTerminal(console, load_words(_LANG), StringIO(typed))
    with (
        EmbeddedServer(binary("embedded"), durable=True) as redis,
        rehearsal(scenario, redis.url, console, asker, lang=_LANG, option=option) as ready,
    ):
        ready.play()
        return Played(" ".join(shown.getvalue().replace("│", " ").split()), _postmortem(ready, redis.url))


def _postmortem(ready: Rehearsal, url: str) -> str:
    keys = Keys(CLUSTER)
    with connect(url) as client:
        incident = RedisIncidents(client, keys).by_id(ready.crew.stage.incident())
        assert incident is not None
        reports, key = RedisReports(client, keys), AuditKey(ready.audit_key)
        return told_story(ready.crew.journal, reports, [key], incident, load_words(_LANG), load_runbooks())
