from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.adapters.redis.embedded import EmbeddedServer
from tests.support.kubeapi import Json
from tests.support.redis import binary
from tests.support.stage import Stage, scenario, staged


@pytest.fixture(scope="package", params=["embedded", pytest.param("debian", marks=pytest.mark.real)])
def redis_server(request: pytest.FixtureRequest) -> Iterator[str]:
    """The same tests on both servers; the second round is not among the fast ones."""
    with EmbeddedServer(binary(request.param)) as server:
        yield server.url


@pytest.fixture(scope="package")
def lab_stage(redis_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One bot for the tests that leave it running: starting one for each would take most of the time.

    It ends with this folder: the fake Slack's pings use `random`, which property tests do not like beside them.
    """
    with staged(redis_server, tmp_path_factory.mktemp("bot"), lab_things()) as stage:
        yield stage


@pytest.fixture
def stage(lab_stage: Stage) -> Iterator[Stage]:
    """The lab of incident A as it is now, and a bot that knows nothing yet. No test may leave an error in its log."""
    lab_stage.reset(lab_things())
    before = len(lab_stage.bot.log("error", "critical"))
    yield lab_stage
    lab_stage.settle()
    assert lab_stage.bot.runs
    assert lab_stage.bot.log("error", "critical")[before:] == []


def lab_things() -> list[Json]:
    return scenario("swap-kubelet")
