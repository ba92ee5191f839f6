"""Slack's ear as it is put together for production, against the fake Slack."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.entry.wiring.slack import SlackSide, slack_side
from bot.remedy.runbook import Risk
from tests.entry.slack.hearing import OURS, SETTINGS, secrets
from tests.entry.slack.repairing import SlackRepair
from tests.support.redis import redis_server, redis_url
from tests.support.slack_people import populate
from tests.support.slack_ports import MemoryQueue, ShownKeys, Threads
from tests.support.slack_server import SlackServer

__all__ = ["redis_server", "redis_url"]


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


@pytest.fixture
def repair(server: SlackServer, redis_url: str) -> Iterator[SlackRepair]:
    made = SlackRepair(server, redis_url)
    yield made
    made.side.close()


@pytest.fixture
def easy(server: SlackServer, redis_url: str) -> Iterator[SlackRepair]:
    made = SlackRepair(server, redis_url, risk=Risk.REVERSIBLE)
    yield made
    made.side.close()
