"""Puts `gpu-autopsy serve` together: settings -> Redis, cluster, knowledge -> workers, HTTP door, Slack."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import structlog

from bot.entry.settings import BrokenSettings, Settings, load_settings
from bot.entry.slack.settings import AlertSource, SlackSettings
from bot.entry.wiring.store import Store, open_store
from bot.entry.wiring.words import presenters_of, words
from bot.narrate.reasons import line_in_words

if TYPE_CHECKING:
    from pydantic import SecretStr

    from bot.app.desk import Desk
    from bot.app.ports import Incidents, Poster, Queue
    from bot.entry.parts import Loop
    from bot.entry.presenter import Presenter
    from bot.entry.service import Service
    from bot.entry.slack.socket import Socket
    from bot.entry.webhook import Door
    from bot.entry.wiring.desk import RepairParts, UseCases
    from bot.entry.wiring.repair import RepairSetup
    from bot.entry.wiring.slack import Repair as SlackRepair
    from bot.entry.wiring.slack import SlackSecrets

#: Seconds without an answer of Slack after which the bot counts as deaf; a lost connection is replaced before.
DEAF = 30.0

_log = structlog.get_logger(__name__)


def serve(environ: Mapping[str, str]) -> int:
    """Run the bot until it is told to stop; returns the exit status of `run`."""
    return run(environ, build)


def run(environ: Mapping[str, str], build_it: Callable[[Settings, Event], Service]) -> int:
    """Run a service until it is told to stop; returns the exit status.

    0: told to stop, and everything that was begun was done; 1: a part died; 2: it could not start.
    """
    from bot.entry.logging import configure_logging

    try:
        settings = load_settings(environ)
    except BrokenSettings as why:
        print(why, file=sys.stderr)  # noqa: T201  no log yet
        return 2
    configure_logging(settings.log_level, settings.secrets)
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    try:
        done = build_it(settings, stop).run()
    except _refusals() as why:
        _log.error("cannot_start", why=line_in_words(words("en"), str(why)))
        return 2
    if not done:
        # Python would wait for the threads of unfinished work, which comes again in another replica.
        sys.stdout.flush()
        os._exit(1)
    return 0


def build(settings: Settings, stop: Event) -> Service:
    """The service, not yet started. Asks Slack who the bot is."""
    from bot.adapters.redis.incidents import RedisIncidents
    from bot.adapters.redis.queue import RedisQueue
    from bot.app.repair.fronts import Fronts
    from bot.entry.parts import Connection, Loop
    from bot.entry.service import Part, Service
    from bot.entry.tending import tending
    from bot.entry.webhook import webhook_app
    from bot.entry.webserver import WebServer
    from bot.entry.wiring.identity import bound
    from bot.entry.wiring.journal import seals_of
    from bot.entry.wiring.repair import open_setup, repair_parts
    from bot.entry.wiring.slack import slack_side

    store, told, presenters = open_store(settings), slack_settings(settings), presenters_of(settings)
    queue = RedisQueue(store.client, store.keys, audit=seals_of(settings))
    incidents = RedisIncidents(store.client, store.keys)
    setup = open_setup(settings, store, lambda: workspace(settings))
    if setup is not None:
        bound(setup.journal, None)
    forms = _forms(settings, setup, told, incidents)
    secrets = slack_secrets(settings)
    slack = slack_side(told, secrets, queue=queue, incidents=incidents, presenters=presenters, repair=forms)
    authority = Fronts(slack.authority, slack.team, settings.kubernetes_approvers)
    repair = (
        repair_parts(setup, settings, store, setup.in_channel(told), presenters, authority, told.lang_of)
        if setup
        else None
    )
    use_cases = use_cases_of(settings, store, slack.poster, told, presenters, repair, slack.team)
    loops = [Loop("workers", worker(settings, store, use_cases.desk))]
    loops += [Loop("plans", tending(use_cases.repairs))] if use_cases.repairs else []
    ready = {"slack": lambda: _hears(slack.socket)}
    parts: tuple[Part, ...] = (
        *loops,
        WebServer(
            webhook_app(door(settings, store, loops, ready, queue)), settings.webhook_host, settings.webhook_port
        ),
        Connection("slack", slack.socket.connect, slack.close),
    )
    return Service(parts, stop=stop, grace=settings.stop_seconds, monotonic=time.monotonic)


def workspace(settings: Settings) -> str:
    """The workspace's id: as it is set, or as Slack says whose token it is."""
    from bot.adapters.slack.client import web_client
    from bot.entry.slack.socket import identify

    secrets = slack_secrets(settings)
    return settings.team or identify(web_client(secrets.bot_token, secrets.api_url), secrets.app_token).team_id


def door(
    settings: Settings,
    store: Store,
    loops: Sequence[Loop],
    ready: Mapping[str, Callable[[], bool]],
    queue: Queue,
) -> Door:
    """Health, metrics and, where channels have that source, Alertmanager's webhook."""
    from prometheus_client import CollectorRegistry

    from bot.adapters.redis.health import memory, reachable
    from bot.entry.metrics import StoreMetrics
    from bot.entry.webhook import Door

    ping, registry = store.reader(), CollectorRegistry()
    registry.register(StoreMetrics(lambda: memory(ping)))
    return Door(
        queue=queue,
        token=_secret(settings.webhook_token) or None,
        channels=webhook_channels(settings),
        alive={one.name: one.alive for one in loops},
        ready={"redis": lambda: reachable(ping), **ready},
        registry=registry,
    )


def slack_settings(settings: Settings) -> SlackSettings:
    """What the ear is told."""
    return SlackSettings(
        cluster=settings.cluster,
        team_id=settings.team,
        lang=settings.language,
        channels=settings.channels,
        alert_apps=settings.alert_apps,
    )


def webhook_channels(settings: Settings) -> dict[str, str]:
    """The ids of the channels that Alertmanager may post to, by id and by name."""
    channels = [channel for channel in settings.channels if channel.source is AlertSource.ALERTMANAGER]
    return {key: channel.id for channel in channels for key in (channel.id, channel.name) if key}


def _forms(
    settings: Settings, setup: RepairSetup | None, told: SlackSettings, incidents: Incidents
) -> SlackRepair | None:
    """What Slack's side shows and asks of plans."""
    from bot.entry.wiring.repair import found
    from bot.entry.wiring.slack import Repair as SlackRepair

    if setup is None:
        return None
    return SlackRepair(
        find=found(setup, incidents),
        forms_of=setup.in_channel(told),
        approvers=settings.approvers,
        approver_groups=settings.approver_groups,
    )


def use_cases_of(
    settings: Settings,
    store: Store,
    poster: Poster,
    told: SlackSettings,
    presenters: Mapping[str, Presenter],
    repair: RepairParts | None,
    team: str,
    kubeconfig: Path | None = None,
) -> UseCases:
    """The use cases over the live cluster; in a pod without a kubeconfig, under the pod's account."""
    from bot.adapters.kubernetes.cluster import LiveCluster
    from bot.entry.wiring.desk import live_use_cases
    from bot.entry.wiring.journal import NO_KEY
    from bot.entry.wiring.llm import summarisers

    prose = summarisers(settings, store.client, store.keys, presenters)
    return live_use_cases(
        settings,
        store,
        LiveCluster.connect(kubeconfig, name=settings.cluster),
        poster=poster,
        presenter_of=lambda channel: presenters[told.lang_of(channel)],
        summariser_of=lambda channel: prose.get(told.lang_of(channel)),
        repair=repair,
        no_plans="" if repair else NO_KEY,
        team=team,
    )


def worker(settings: Settings, store: Store, desk: Desk, name: str = "work") -> Callable[[Event], int]:
    """What takes requests off a queue."""
    from bot.adapters.clock import WallClock
    from bot.adapters.redis.queue import RedisWorkQueue
    from bot.app.ports import QueueUnavailable
    from bot.entry.wiring.journal import seals_of
    from bot.entry.worker import Worker

    # A container that restarts keeps its host's name; the queue wants one that no other process ever has.
    consumer = f"{socket.gethostname()}-{uuid.uuid4().hex}"
    seals = seals_of(settings)
    queue = RedisWorkQueue(store.reader(), store.keys, consumer, WallClock(), name=name, audit=seals)
    working = Worker(queue, handle=desk.handle, give_up=desk.give_up, slots=settings.workers)

    def work(stop: Event) -> int:
        try:
            queue.forget_the_dead()
        except QueueUnavailable as why:
            # Housekeeping, which the next replica to start does as well.
            _log.warning("queue_unreachable", why=str(why))
        return working.run(stop, grace=settings.stop_seconds)

    return work


def slack_secrets(settings: Settings) -> SlackSecrets:
    """Tokens and address."""
    from bot.entry.wiring.slack import SlackSecrets

    return SlackSecrets(
        bot_token=settings.slack_bot_token.get_secret_value(),
        app_token=settings.slack_app_token.get_secret_value(),
        api_url=settings.slack_api_url,
    )


def _hears(connection: Socket) -> bool:
    silent = connection.silent_for()
    return silent is not None and silent < DEAF


def _secret(value: SecretStr | None) -> str:
    return value.get_secret_value() if value else ""


def _refusals() -> tuple[type[Exception], ...]:
    """What keeps the bot from starting and has its reason in its text."""
    from bot.adapters.files.knowledge import BrokenKnowledge
    from bot.adapters.files.runbooks import BrokenRunbook
    from bot.adapters.kubernetes.client import NoClusterConfiguration
    from bot.entry.slack.socket import SlackRefused
    from bot.entry.webserver import CannotListen
    from bot.entry.wiring.identity import OtherCluster
    from bot.entry.wiring.repair import NoHands

    return BrokenKnowledge, BrokenRunbook, NoClusterConfiguration, SlackRefused, CannotListen, NoHands, OtherCluster
