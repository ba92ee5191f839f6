"""Slack's ear as it is put together for production, against the fake Slack."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.entry.slack.settings import AlertApp, AlertSource, Channel, SlackSettings
from bot.entry.wiring.slack import SlackSecrets, SlackSide, slack_side
from bot.model.incident import Place
from tests.support.redis import redis_server, redis_url
from tests.support.slack_payloads import SECRET
from tests.support.slack_people import populate
from tests.support.slack_ports import MemoryQueue, ShownKeys, Threads
from tests.support.slack_server import APP_TOKEN, BOT_TOKEN, TEAM, SlackServer

__all__ = ["redis_server", "redis_url"]

SETTINGS = SlackSettings(
    cluster="lab",
    team_id=TEAM,
    channels=(
        Channel(id="C0ALERTS", source=AlertSource.APP),
        Channel(id="C0HOOK", source=AlertSource.ALERTMANAGER),
        Channel(id="C0KO", source=AlertSource.APP, language="ko"),
    ),
    alert_apps=(AlertApp(app_id="A0ALERTS", channel="C0ALERTS"), AlertApp(app_id="A0ALERTS", channel="C0HOOK")),
    file_limit=1000,
    ping_interval=0.2,
    edit_interval=0.01,
)
#: A thread of the bot's.
OURS = Place("C0ALERTS", "100.1")


def secrets(server: SlackServer) -> SlackSecrets:
    return SlackSecrets(bot_token=BOT_TOKEN, app_token=APP_TOKEN, api_url=server.api_url, signing_secret=SECRET)


@pytest.fixture
def server() -> Iterator[SlackServer]:
    with SlackServer(ack_seconds=0.5, retries=[0.1] * 40) as server:
        populate(server)
        yield server


@pytest.fixture
def queue() -> MemoryQueue:
    return MemoryQueue()


@pytest.fixture
def threads() -> Threads:
    return Threads(OURS)


@pytest.fixture
def side(server: SlackServer, queue: MemoryQueue, threads: Threads) -> Iterator[SlackSide]:
    words = {"en": ShownKeys("en"), "ko": ShownKeys("ko")}
    side = slack_side(SETTINGS, secrets(server), queue=queue, incidents=threads, presenters=words)
    yield side
    side.close()
