"""Puts `gpu-autopsy serve` together: settings -> Redis, cluster, knowledge -> workers, HTTP door, Slack."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
import uuid
from collections.abc import Callable, Mapping
from datetime import timedelta
from threading import Event
from typing import TYPE_CHECKING

import structlog

from bot.entry.settings import AlertSource, BrokenSettings, Settings, load_settings

if TYPE_CHECKING:
    from pydantic import SecretStr
    from redis import Redis

    from bot.adapters.redis.client import Keys
    from bot.app.desk import Desk
    from bot.app.ports import Poster
    from bot.entry.presenter import Presenter as Words
    from bot.entry.service import Service
    from bot.entry.slack.settings import SlackSettings
    from bot.entry.slack.socket import Socket
    from bot.entry.wiring.slack import SlackSecrets

#: Seconds without an answer of Slack after which the bot counts as deaf; a lost connection is replaced before.
DEAF = 30.0

_log = structlog.get_logger(__name__)


def serve(environ: Mapping[str, str]) -> int:
    """Run the bot until it is told to stop; returns the exit status.

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
        done = build(settings, stop).run()
    except _refusals() as why:
        _log.error("cannot_start", why=str(why))
        return 2
    if not done:
        # Python would wait for the threads of unfinished work, which comes again in another replica.
        sys.stdout.flush()
        os._exit(1)
    return 0


def build(settings: Settings, stop: Event) -> Service:
    """The service, not yet started. Asks Slack who the bot is."""
    from prometheus_client import CollectorRegistry

    from bot.adapters.redis.client import Keys, connect, connect_reader
    from bot.adapters.redis.health import reachable
    from bot.adapters.redis.incidents import RedisIncidents
    from bot.adapters.redis.queue import RedisQueue
    from bot.entry.parts import Connection, Loop
    from bot.entry.service import Service
    from bot.entry.webhook import Door, webhook_app
    from bot.entry.webserver import WebServer
    from bot.entry.wiring.slack import slack_side

    url, password = settings.redis_url.get_secret_value(), _secret(settings.redis_password)
    client, keys = connect(url, password or None), Keys(settings.cluster)
    queue, incidents = RedisQueue(client, keys), RedisIncidents(client, keys)
    told = slack_settings(settings)
    presenters = _presenters(settings)
    slack = slack_side(told, _slack_secrets(settings), queue=queue, incidents=incidents, presenters=presenters)
    desk = _desk(settings, client, keys, slack.poster, told, presenters)
    workers = Loop("workers", _worker(settings, connect_reader(url, password or None), keys, desk))
    ping = connect_reader(url, password or None)
    door = Door(
        queue=queue,
        token=_secret(settings.webhook_token) or None,
        channels=webhook_channels(settings),
        alive={"workers": workers.alive},
        ready={"redis": lambda: reachable(ping), "slack": lambda: _hears(slack.socket)},
        registry=CollectorRegistry(),
    )
    parts = (
        workers,
        WebServer(webhook_app(door), settings.webhook_host, settings.webhook_port),
        Connection("slack", slack.socket.connect, slack.close),
    )
    return Service(parts, stop=stop, grace=settings.stop_seconds, monotonic=time.monotonic)


def slack_settings(settings: Settings) -> SlackSettings:
    """What the ear is told."""
    from bot.entry.slack import settings as slack

    return slack.SlackSettings(
        cluster=settings.cluster,
        team_id=settings.team,
        lang=settings.language,
        channels=tuple(
            slack.ChannelSettings(
                id=channel.id,
                source=slack.AlertSource(channel.source.value),
                lang=channel.language or "",
                alert_apps=tuple(
                    slack.AlertApp(app_id=app.app_id, bot_id=app.bot_id)
                    for app in settings.alert_apps
                    if app.channel == channel.id
                ),
            )
            for channel in settings.channels
        ),
    )


def webhook_channels(settings: Settings) -> dict[str, str]:
    """The ids of the channels that Alertmanager may post to, by id and by name."""
    channels = [channel for channel in settings.channels if channel.source is AlertSource.ALERTMANAGER]
    return {key: channel.id for channel in channels for key in (channel.id, channel.name) if key}


def _desk(
    settings: Settings, client: Redis, keys: Keys, poster: Poster, told: SlackSettings, presenters: Mapping[str, Words]
) -> Desk:
    from bot.adapters.clock import WallClock
    from bot.adapters.kubernetes.cluster import LiveCluster
    from bot.entry.wiring.desk import DeskParts, build_desk
    from bot.entry.wiring.llm import summarisers

    clock = WallClock()
    prose = summarisers(settings, client, keys, presenters)
    return build_desk(
        DeskParts(
            cluster=LiveCluster.connect(name=settings.cluster),
            redis=client,
            keys=keys,
            world=clock,
            wall=clock,
            poster=poster,
            presenter_of=lambda channel: presenters[told.lang_of(channel)],
            pastes_kept=timedelta(hours=settings.paste_expiry_hours),
            knowledge=settings.knowledge,
            repair_policy=settings.repair_policy,
            summariser_of=lambda channel: prose.get(told.lang_of(channel)),
        )
    ).desk


def _worker(settings: Settings, reader: Redis, keys: Keys, desk: Desk) -> Callable[[Event], int]:
    from bot.adapters.clock import WallClock
    from bot.adapters.redis.queue import RedisWorkQueue
    from bot.app.ports import QueueUnavailable
    from bot.entry.worker import Worker

    # A container that restarts keeps its host's name; the queue wants one that no other process ever has.
    consumer = f"{socket.gethostname()}-{uuid.uuid4().hex}"
    queue = RedisWorkQueue(reader, keys, consumer, WallClock())
    worker = Worker(queue, handle=desk.handle, give_up=desk.give_up, slots=settings.workers)

    def work(stop: Event) -> int:
        try:
            queue.forget_the_dead()
        except QueueUnavailable as why:
            # Housekeeping, which the next replica to start does as well.
            _log.warning("the queue is out of reach", why=str(why))
        return worker.run(stop, grace=settings.stop_seconds)

    return work


def _presenters(settings: Settings) -> dict[str, Words]:
    from bot.adapters.files.knowledge import LANGUAGES, load_words
    from bot.adapters.files.runbooks import runbook_names
    from bot.entry.presenter import Presenter as Words

    runbooks = runbook_names(settings.knowledge)
    return {lang: Words(load_words(lang, settings.knowledge), settings.cluster, runbooks) for lang in LANGUAGES}


def _slack_secrets(settings: Settings) -> SlackSecrets:
    from bot.entry.wiring.slack import SlackSecrets

    return SlackSecrets(
        bot_token=settings.slack_bot_token.get_secret_value(),
        app_token=settings.slack_app_token.get_secret_value(),
        api_url=settings.slack_api_url,
        signing_secret=_secret(settings.slack_signing_secret),
    )


def _hears(connection: Socket) -> bool:
    silent = connection.silent_for()
    return silent is not None and silent < DEAF


def _secret(value: SecretStr | None) -> str:
    return value.get_secret_value() if value else ""


def _refusals() -> tuple[type[Exception], ...]:
    """What keeps the bot from starting and has its reason in its text."""
    from bot.adapters.files.knowledge import BrokenKnowledge
    from bot.adapters.kubernetes.client import NoClusterConfiguration
    from bot.entry.slack.socket import SlackRefused
    from bot.entry.webserver import CannotListen

    return BrokenKnowledge, NoClusterConfiguration, SlackRefused, CannotListen
