"""Puts `gpu-autopsy execute` together: the one process that changes clusters, under an account of its own."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import timedelta
from threading import Event
from typing import TYPE_CHECKING

from bot.app.repair.ports import Authority
from bot.entry.settings import Settings
from bot.entry.wiring.desk import UseCases
from bot.entry.wiring.repair import NoHands
from bot.entry.wiring.service import (
    door,
    run,
    slack_secrets,
    slack_settings,
    use_cases_of,
    worker,
    workspace,
)
from bot.entry.wiring.store import Store, open_store
from bot.entry.wiring.words import presenters_of

if TYPE_CHECKING:
    from bot.entry.service import Service

#: How long the executor waits for a signal; it looks at the plans after that in any case.
_WAIT = timedelta(seconds=1)


def execute(environ: Mapping[str, str]) -> int:
    """Run the executor until it is told to stop; returns the exit status as `serve` does."""
    return run(environ, build)


def build(settings: Settings, stop: Event) -> Service:
    """The executor, not yet started.

    Raises:
        NoHands: mutations are off, or there is no audit key.
        OtherCluster: the journal is of another cluster.
    """
    from bot.adapters.redis.presence import RedisPresence
    from bot.adapters.redis.queue import CHOICES, RedisQueue
    from bot.adapters.redis.wakes import RedisWakes
    from bot.entry.parts import Loop
    from bot.entry.service import Service
    from bot.entry.tending import executing
    from bot.entry.webhook import webhook_app
    from bot.entry.webserver import WebServer
    from bot.entry.wiring.journal import seals_of
    from bot.entry.wiring.repair import EXECUTOR

    if not settings.mutations:
        raise NoHands("AUTOPSY_MUTATIONS is off: there is nothing that an executor may do")
    store = open_store(settings)
    use_cases = _use_cases(settings, store)
    if use_cases.repairs is None:
        raise NoHands("there is no journal")
    here, wakes = RedisPresence(store.client, store.keys, EXECUTOR), RedisWakes(store.reader(), store.keys)
    loops = [
        Loop("choices", worker(settings, store, use_cases.desk, CHOICES)),
        Loop("executor", executing(use_cases.repairs, here.say, lambda _stop: wakes.wait(_WAIT))),
    ]
    queue = RedisQueue(store.client, store.keys, audit=seals_of(settings))
    health = webhook_app(door(settings, store, loops, {}, queue))
    web = WebServer(health, settings.webhook_host, settings.webhook_port)
    return Service((*loops, web), stop=stop, grace=settings.stop_seconds, monotonic=time.monotonic)


def _use_cases(settings: Settings, store: Store) -> UseCases:
    """The use cases, with hands.

    Raises:
        NoHands: there is no audit key.
        OtherCluster: the journal is of another cluster.
    """
    from bot.entry.wiring.identity import bound
    from bot.entry.wiring.repair import open_setup, repair_parts, with_hands
    from bot.entry.wiring.slack import slack_poster

    told, presenters = slack_settings(settings), presenters_of(settings)
    # With the workspace in the settings the executor starts while Slack is down.
    team, kubeconfig = workspace(settings), settings.executor_kubeconfig
    setup = open_setup(settings, store, lambda: team)
    if setup is None:
        raise NoHands("AUTOPSY_AUDIT_KEY is missing: without an audit nothing runs")
    bound(setup.journal, kubeconfig)
    authority = _authority(settings, team)
    parts = repair_parts(setup, settings, store, setup.in_channel(told), presenters, authority, told.lang_of)
    poster = slack_poster(slack_secrets(settings))
    return use_cases_of(settings, store, poster, told, presenters, with_hands(parts, settings), team, kubeconfig)


def _authority(settings: Settings, team: str) -> Authority:
    """Slack's word about approvers, asked again before anything runs, and the configuration's about the terminal's."""
    from bot.app.repair.fronts import Fronts
    from bot.entry.wiring.slack import slack_authority

    slack = slack_authority(slack_secrets(settings), team, settings.approvers, settings.approver_groups)
    return Fronts(slack, team, settings.kubernetes_approvers)
