"""Puts the commands of repair together: the shared Redis, the audit key, and who the API server says sits here."""

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
from bot.app.repair.ports import NOT_ASKED_HERE
from bot.entry.logging import configure_logging
from bot.entry.settings import PlanSettings, load_part
from bot.entry.terminal.session import Session
from bot.entry.terminal.showing import Showing
from bot.entry.wiring.desk import UseCases, live_use_cases
from bot.entry.wiring.hosts import handed_over
from bot.entry.wiring.identity import same
from bot.entry.wiring.journal import NO_KEY, OTHER_KEY, UNREACHABLE, warnings_of
from bot.entry.wiring.repair import RepairSetup, open_setup, repair_parts
from bot.entry.wiring.store import Store, open_store
from bot.entry.wiring.words import presenters_of, words
from bot.knowledge.words import Words
from bot.model.findings import Reporter
from bot.model.refs import Ref
from bot.narrate.reasons import in_words
from bot.remedy.events import Person
from bot.remedy.plan import Actor, Identity

if TYPE_CHECKING:
    from bot.adapters.kubernetes.identity import Sitting
    from bot.entry.presenter import Presenter


class NoSession(ValueError):
    """There is no repair from this terminal; the text says why."""


class _NoSlack:
    """`Authority` of Slack where Slack is not asked: the terminal is there for when it is down.

    Whom the configuration lists it can still name; of a user group, which only Slack can open, the group.
    """

    def __init__(self, settings: PlanSettings) -> None:
        people = (f"slack:{settings.team}/{one}" for one in settings.approvers)
        groups = (f"slack:group/{one}" for one in settings.approver_groups)
        self._listed = tuple(map(Actor, (*people, *groups)))

    def may(self, actor: Actor) -> Person:
        return Person(may=False, why=NOT_ASKED_HERE, identity=Identity(unknown=NOT_ASKED_HERE))

    def others(self, actor: Actor) -> tuple[Actor, ...]:
        return tuple(one for one in self._listed if one != actor)


def session(
    environ: Mapping[str, str], lang: str, *, kubeconfig: Path | None, context: str | None, console: Console
) -> Session:
    """The session of whoever sits here.

    Raises:
        ValueError: Redis is not set or out of reach; the audit key is not set; the cluster's configuration is not
            usable, or the API server does not say who we are, or is not that of the journal's cluster.
        NotWritten: Redis is out of reach by now.
    """
    from bot.adapters.kubernetes.cluster import LiveCluster
    from bot.adapters.terminal.poster import TerminalPoster

    settings = load_part(PlanSettings, environ)
    # Standard output is for the cards; what the audit says a second time goes beside it.
    configure_logging("WARNING", settings.secrets, sys.stderr)
    store, say = open_store(settings), words(lang, settings.knowledge)
    setup = _setup(settings, store, say)
    here = _sitting_here(kubeconfig, context, say)
    same(setup.journal, here, say)
    cluster = LiveCluster.connect(kubeconfig, context, name=settings.cluster)
    return _seated(settings, store, setup, here.actor, cluster, TerminalPoster(console, say, commands=True), say)


def _seated(
    settings: PlanSettings,
    store: Store,
    setup: RepairSetup,
    actor: Actor,
    cluster: Cluster,
    poster: Poster,
    say: Words,
) -> Session:
    """The session of this person, who is known by now."""
    from bot.adapters.clock import WallClock
    from bot.adapters.redis.incidents import RedisIncidents

    incidents = RedisIncidents(store.client, store.keys)
    presenters = presenters_of(settings)
    showing = Showing(
        journal=setup.journal,
        incidents=incidents,
        library=setup.library,
        cards=setup.cards[say.lang],
        presenter=presenters[say.lang],
        poster=poster,
    )
    use_cases = _use_cases(settings, store, setup, cluster, presenters, poster, showing, say.lang)
    if use_cases.repairs is None:
        raise NoSession(say.reason(NO_KEY))
    showing.investigator = use_cases.investigator
    return Session(
        actor=actor,
        cluster=cluster,
        desk=use_cases.repairs.desk,
        journal=setup.journal,
        incidents=incidents,
        investigator=use_cases.investigator,
        showing=showing,
        keep=_keeping(store, settings, actor, cluster),
        clock=WallClock(),
        words=say,
        warnings=warnings_of(setup.read_only, say),
    )


def _setup(settings: PlanSettings, store: Store, say: Words) -> RepairSetup:
    """What repair needs.

    Raises:
        NoSession: there is no audit key, or it is not this audit's; or Redis is out of reach.
        NotWritten: Redis is out of reach by now.
    """
    setup = open_setup(settings, store, lambda: settings.team)
    if setup is None:
        raise NoSession(say.reason(NO_KEY))
    if UNREACHABLE in setup.read_only:
        raise NoSession(say.reason(UNREACHABLE))
    if not setup.journal.fits():
        raise NoSession(say.reason(OTHER_KEY))
    return setup


def _use_cases(
    settings: PlanSettings,
    store: Store,
    setup: RepairSetup,
    cluster: Cluster,
    presenters: Mapping[str, Presenter],
    poster: Poster,
    showing: Showing,
    lang: str,
) -> UseCases:
    """The use cases, which answer here and in one language."""
    authority = Fronts(_NoSlack(settings), settings.team, settings.kubernetes_approvers)
    cards = setup.cards[lang]
    parts = repair_parts(setup, settings, store, lambda _channel: cards, presenters, authority, lambda _channel: lang)
    return live_use_cases(
        settings,
        store,
        cluster,
        poster=poster,
        presenter_of=lambda _channel: presenters[lang],
        repair=msgspec.structs.replace(parts, teller=showing, on_refusal=showing.note_refusal),
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


def _sitting_here(kubeconfig: Path | None, context: str | None, say: Words) -> Sitting:
    from bot.adapters.kubernetes.identity import Nobody, sitting

    try:
        return sitting(kubeconfig, context)
    except Nobody as why:
        raise NoSession(in_words(say, "cli-nobody", {"why": str(why)})) from why
