"""Axes: whether one is kept; its language; whether somebody edited it."""

from datetime import UTC, datetime

import msgspec
import redis

from bot.adapters.redis.client import Keys
from bot.adapters.redis.reports import RedisReports
from bot.model.diagnosis import Verdict
from bot.model.report import MomentSource, Report

REPORT = Report(
    cluster="lab",
    lang="en",
    scope=("node/omen2",),
    at=datetime(2026, 7, 10, 15, 0, tzinfo=UTC),
    at_source=MomentSource.NOW,
    verdict=Verdict.BROKEN,
    headline="swap is on",
)


def test_the_first_report_of_a_plan_stays(client: redis.Redis, keys: Keys) -> None:
    store = RedisReports(client, keys)
    sha256 = store.keep("p1", REPORT)
    later = msgspec.structs.replace(REPORT, headline="all is well")

    assert store.keep("p1", later) == sha256
    found = store.of("p1", "en")
    assert found is not None
    assert (found.report, found.sha256) == (REPORT, sha256)


def test_languages_and_plans_are_told_apart(client: redis.Redis, keys: Keys) -> None:
    store = RedisReports(client, keys)
    store.keep("p1", REPORT)

    assert store.of("p1", "ko") is None
    assert store.of("p2", "en") is None


def test_an_edit_shows_in_the_digest(client: redis.Redis, keys: Keys) -> None:
    store = RedisReports(client, keys)
    sha256 = store.keep("p1", REPORT)
    name = keys("report", "p1", "en")
    client.set(name, (client.get(name) or b"").replace(b"swap", b"snow"))  # type: ignore[union-attr]

    found = store.of("p1", "en")
    assert found is not None
    assert found.sha256 != sha256


def test_what_cannot_be_read_is_none(client: redis.Redis, keys: Keys) -> None:
    client.set(keys("report", "p1", "en"), b"{")

    assert RedisReports(client, keys).of("p1", "en") is None
