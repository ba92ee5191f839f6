"""The whole bot beside real parts, and where it has to wait as long as it says.

The axes: Alertmanager fires, groups, resolves; the bot is killed or stopped, or Redis goes away, during work.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.adapters.redis.embedded import EmbeddedServer
from bot.model.incident import State
from bot.playground.apiserver.faults import Effect, Fault
from tests.support.alertmanager import alert as fires
from tests.support.alertmanager import alertmanager, find_alertmanager
from tests.support.bot import WEBHOOK_TOKEN, until
from tests.support.gate import Gate
from tests.support.redis import binary
from tests.support.slack_payloads import mention, message
from tests.support.slack_server import SlackServer
from tests.support.stage import Stage, scenario, silent, staged, words
from tests.support.webhook import alert, group

pytestmark = pytest.mark.real
#: The queue gives what a worker left behind to another one after half a minute.
LEFT_BEHIND = 90.0
STOPS_SOON = {"AUTOPSY_WORKERS": "1", "AUTOPSY_STOP_SECONDS": "2"}


@pytest.fixture(params=["embedded", "debian"])
def redis_url(request: pytest.FixtureRequest) -> Iterator[str]:
    with EmbeddedServer(binary(request.param)) as server:
        yield server.url


@pytest.fixture
def stage(redis_url: str, tmp_path: Path) -> Iterator[Stage]:
    with staged(redis_url, tmp_path, scenario("swap-kubelet"), **STOPS_SOON) as one:
        yield one


def slow(seconds: float) -> Fault:
    return Fault(effect=Effect.SLOW, seconds=seconds)


def begin(stage: Stage) -> None:
    """An alert comes in, and is being looked at for ever."""
    stage.cluster.faults.add(slow(60))
    stage.bot.post("gpu", group(alert("omen2")))
    until("the alert is being looked at", lambda: stage.cluster.faults.requests)


@pytest.mark.parametrize("redis_url", ["debian"], indirect=True)  # the half minute is waited for once
def test_a_killed_bot_answers_after_its_restart(stage: Stage) -> None:
    begin(stage)
    stage.bot.kill()
    stage.cluster.faults.clear()
    stage.bot.start()
    stage.settle(LEFT_BEHIND)
    _, root, replies = stage.thread()
    assert "swapoff" in root["text"][:100]
    assert len(replies) == len(set(replies)) == 3


def test_alertmanager_fires_groups_and_resolves_into_one_thread(stage: Stage, tmp_path: Path) -> None:
    program = find_alertmanager()
    if program is None:
        pytest.skip("no Alertmanager on this machine (Debian's package is prometheus-alertmanager)")
    since = datetime.now(UTC).replace(microsecond=0) - timedelta(days=112)
    first, second = ({"alertname": "KubeNodeNotReady", "node": name} for name in ("omen2", "worker1"))
    well = scenario("swap-kubelet")
    url = f"http://127.0.0.1:{stage.bot.port}/alertmanager/gpu"
    with ExitStack() as stack:
        server = stack.enter_context(alertmanager(program, tmp_path, url, WEBHOOK_TOKEN, ["alertname"]))
        server.tell(fires(first, since, summary="omen2 is down"))
        until("the incident is open", stage.incidents)
        stage.settle()
        ts, root, replies = stage.thread()
        assert "swapoff" in root["text"][:100]
        assert stage.incident(ts).count == 1

        stage.load(*silent(well, "worker1"))
        server.tell(fires(first, since), fires(second, since))
        until("the group has grown", lambda: stage.incident(ts).count == 2)
        stage.settle()
        assert len(stage.incident(ts).sources) == 1, "one group"

        ended = datetime.now(UTC).replace(microsecond=0)
        server.tell(fires(first, since, ended), fires(second, since, ended))
        until("it is over", lambda: stage.incident(ts).firing == ())
        stage.settle()

    incident = stage.incident(ts)
    assert (len(stage.threads()), incident.count) == (1, 2)
    assert incident.state is State.OPEN, "the fault is still there"
    assert len(stage.thread()[2]) == len(replies) + 2, "the second alert and the end are told in the thread"
    assert stage.bot.log("error") == []


def test_what_takes_too_long_at_a_stop_is_left_to_the_next_one(stage: Stage) -> None:
    begin(stage)
    assert stage.bot.stop() == 1
    assert stage.threads() == {}
    stage.cluster.faults.clear()
    stage.bot.start()
    stage.let_pending_age()
    stage.settle()
    assert len(stage.thread()[2]) == 3


def test_a_redis_that_goes_away_during_work_loses_nothing(redis_url: str, tmp_path: Path) -> None:
    things = scenario("swap-kubelet")
    with Gate(redis_url) as gate:
        gate.open()
        # Slack sends again after a minute, and knows nothing of when Redis is back.
        slack = SlackServer(ack_seconds=1, retries=[1] * 60)
        with staged(redis_url, tmp_path, things, slack, REDIS_URL=gate.url) as stage:
            stage.bot.post("gpu", group(alert("omen2")))
            stage.settle()
            ts, _, replies = stage.thread()
            stage.cluster.faults.add(slow(20))
            stage.say(mention("node omen3", channel="C0ALERTS"))
            until("it is being looked at", lambda: stage.cluster.faults.requests)
            gate.shut()
            reply = message("is anybody there?\nomen2?", channel="C0HOOK", thread_ts=ts)
            heard = stage.slack.socket.send("events_api", reply)
            until("it is not ready", lambda: stage.bot.answers("readyz", 503))
            stage.cluster.faults.clear()
            until("the work has failed", lambda: any("request" in one for one in stage.bot.log("error")))
            until("Slack has sent again what was not acknowledged", lambda: len(heard.envelopes) > 1)
            gate.open()
            heard.wait()
            until("only what failed is left", lambda: stage.unfinished() <= 1)
            stage.let_pending_age()
            stage.settle()

            ((answer,),) = stage.threads("C0ALERTS").values()
            assert "omen3" in words(answer)
            assert len(stage.thread()[2]) == len(replies) + 1
            assert stage.dead() == 0
            assert stage.bot.log("warning"), "it was said"
