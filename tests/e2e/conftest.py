from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.adapters.redis.embedded import EmbeddedServer
from tests.support.kubeapi import Json
from tests.support.redis import binary
from tests.support.stage import Stage, scenario, staged


@pytest.fixture(scope="package", params=["embedded", pytest.param("debian", marks=pytest.mark.real)])
def redis_binary(request: pytest.FixtureRequest) -> Path:
    """The same tests on both servers; the second round is not among the fast ones."""
    return binary(request.param)


@pytest.fixture
def own_redis(redis_binary: Path) -> Iterator[str]:
    """A server for a bot of a test's own: two bots on one server would be replicas of each other."""
    with EmbeddedServer(redis_binary) as server:
        yield server.url


@pytest.fixture(scope="package")
def lab_stage(redis_binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One bot for the tests that leave it running: starting one for each would take most of the time.

    It ends with this folder: the fake Slack's pings use `random`, which property tests do not like beside them.
    """
    with (
        EmbeddedServer(redis_binary) as server,
        staged(server.url, tmp_path_factory.mktemp("bot"), lab_things()) as stage,
    ):
        yield stage


@pytest.fixture
def stage(lab_stage: Stage) -> Iterator[Stage]:
    """The lab of incident A as it is now, and a bot that knows nothing yet.

    What it logs as an error fails the test, unless it stands in `stage.provoked`.
    """
    lab_stage.reset(lab_things())
    before = len(lab_stage.bot.log("error", "critical"))
    yield lab_stage
    lab_stage.settle()
    assert lab_stage.bot.runs
    errors = lab_stage.bot.log("error", "critical")[before:]
    assert [one for one in errors if one["event"] not in lab_stage.provoked] == []


def lab_things() -> list[Json]:
    return scenario("swap-kubelet")
