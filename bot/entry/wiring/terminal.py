"""Puts the terminal's front of repair together: the shared Redis, the audit key, and who the API server says we are."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from rich.console import Console

from bot.app.ports import Cluster, Poster
from bot.app.repair.fronts import Fronts
from bot.entry.logging import configure_logging
from bot.entry.settings import PlanSettings, load_part
from bot.entry.terminal import Front, Showing
from bot.entry.wiring.desk import Bench, live_bench
from bot.entry.wiring.hosts import handed_over
from bot.entry.wiring.identity import same
from bot.entry.wiring.journal import NO_KEY, UNREACHABLE
from bot.entry.wiring.repair import Kit, open_kit, repair_parts
from bot.entry.wiring.store import Store, open_store
from bot.entry.wiring.words import presenters_of
from bot.model.findings import Reporter
from bot.model.refs import Ref
from bot.remedy.events import Person
from bot.remedy.plan import Actor

if TYPE_CHECKING:
    from bot.adapters.kubernetes.identity import Sitting


class NoFront(ValueError):
    """There is no repair from this terminal; the text says why."""


class _NoSlack:
    """`Authority` of Slack where Slack is not asked: the terminal is there for when it is down."""

    def may(self, actor: Actor) -> Person:
        return Person(may=False, why="approver-lookup-failed")

    def others(self, actor: Actor) -> tuple[Actor, ...]:
        return ()


def front(
    environ: Mapping[str, str], lang: str, *, kubeconfig: Path | None, context: str | None, console: Console
) -> Front:
    """The front of whoever sits here.

    Raises:
        ValueError: Redis is not set or out of reach; the audit key is not set; the cluster's configuration is not
            usable, or the API server does not say who we are, or is not that of the journal's cluster.
        NotWritten: Redis is out of reach by now.
    """
    from bot.adapters.clock import WallClock
    from bot.adapters.files.knowledge import load_words
    from bot.adapters.kubernetes.cluster import LiveCluster
    from bot.adapters.redis.incidents import RedisIncidents
    from bot.adapters.terminal.poster import TerminalPoster

    settings = load_part(PlanSettings, environ)
    # Standard output is for the cards; what the audit says a second time goes beside it.
    configure_logging("WARNING", settings.secrets, sys.stderr)
    store = open_store(settings)
    kit = open_kit(settings, store, lambda: settings.team)
    words = load_words(lang, settings.knowledge)
    if kit is None:
        raise NoFront(words.reason(NO_KEY))
    if UNREACHABLE in kit.read_only:
        raise NoFront(words.reason(UNREACHABLE))
    here = _sitting_here(kubeconfig, context)
    same(kit.journal, here)
    actor = here.actor
    incidents, clock = RedisIncidents(store.client, store.keys), WallClock()
    poster = TerminalPoster(console, words, commands=True)
    showing = Showing(
        journal=kit.journal, incidents=incidents, library=kit.library, cards=kit.cards[lang], poster=poster
    )
    cluster = LiveCluster.connect(kubeconfig, context, name=settings.cluster)
    bench = _bench(settings, store, kit, cluster, poster, showing, lang)
    if bench.repairs is None:
        raise NoFront("there is no journal")
    showing.investigator = bench.investigator
    return Front(
        actor=actor,
        cluster=cluster,
        desk=bench.repairs.desk,
        journal=kit.journal,
        incidents=incidents,
        investigator=bench.investigator,
        showing=showing,
        keep=_keeping(store, settings, actor, cluster),
        clock=clock,
    )


def _bench(
    settings: PlanSettings, store: Store, kit: Kit, cluster: Cluster, poster: Poster, showing: Showing, lang: str
) -> Bench:
    """The use cases, which answer here and in one language."""
    presenters = presenters_of(settings)
    authority = Fronts(_NoSlack(), settings.team, settings.kubernetes_approvers)
    parts = repair_parts(
        kit, settings, store, lambda _channel: showing.cards, presenters, authority, lambda _channel: lang
    )
    return live_bench(
        settings,
        store,
        cluster,
        poster=poster,
        presenter_of=lambda _channel: presenters[lang],
        repair=msgspec.structs.replace(parts, teller=showing),
    )


def _keeping(
    store: Store, settings: PlanSettings, actor: Actor, cluster: Cluster
) -> Callable[[Path, tuple[Ref, ...]], None]:
    """Keeps a file as a paste: on the word of whoever sits here."""
    from bot.adapters.clock import WallClock
    from bot.adapters.redis.pastes import RedisPastes

    clock = WallClock()
    pastes = RedisPastes(store.client, store.keys, clock, timedelta(hours=settings.paste_expiry_hours))

    def keep(file: Path, scope: tuple[Ref, ...]) -> None:
        for text in handed_over(file, cluster, scope).texts:
            pastes.add(msgspec.structs.replace(text, reporter=Reporter(actor.id, clock.now())))

    return keep


def _sitting_here(kubeconfig: Path | None, context: str | None) -> Sitting:
    from bot.adapters.kubernetes.identity import Nobody, sitting

    try:
        return sitting(kubeconfig, context)
    except Nobody as why:
        raise NoFront(f"the API server does not say who you are: {why}") from why
