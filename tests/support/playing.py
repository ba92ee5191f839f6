"""The demos, really played: what the terminal showed, and the post-mortem of what was then kept."""

from __future__ import annotations

from functools import cache
from io import StringIO
from typing import NamedTuple

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


class Played(NamedTuple):
    """What the terminal showed, as one line, and the post-mortem."""

    shown: str
    postmortem: str


@cache
def played(scenario: str, typed: str | None = None, option: str = "") -> Played:
    """A demo at its repaired end, with what somebody typed or as is suggested: about twenty seconds, once a run."""
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
