"""The life of the process. The axes: how it ends and when, what is slow, what is out of reach; nothing may be lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.playground.apiserver.faults import Effect, Fault
from tests.e2e.conftest import lab_things
from tests.support.bot import until
from tests.support.gate import Gate
from tests.support.slack_payloads import alert as app_alert
from tests.support.slack_payloads import command, mention, message, shortcut
from tests.support.stage import Stage, staged, words
from tests.support.webhook import alert, group

WHERE = {"channel_id": "C0HOOK", "channel_name": "hook"}


def slow(seconds: float) -> Fault:
    return Fault(effect=Effect.SLOW, seconds=seconds)


@pytest.fixture
def one_at_a_time(own_redis: str, tmp_path: Path) -> Iterator[Stage]:
    """A bot of the test's own, with one worker."""
    with staged(own_redis, tmp_path, lab_things(), AUTOPSY_WORKERS="1") as stage:
        yield stage
        # How it ends well is the question of two tests; the others need not wait for it.
        stage.bot.kill()


def restart(stage: Stage) -> None:
    """Start it anew, and let what the dead one held be half a minute old, as the queue wants it."""
    connections = stage.slack.socket.connected
    stage.cluster.faults.clear()
    stage.bot.start()
    stage.slack.socket.wait_for_connection(connections + 1)
    stage.let_pending_age()


def test_what_a_killed_bot_had_accepted_is_answered_exactly_once(one_at_a_time: Stage) -> None:
    stage = one_at_a_time
    stage.cluster.faults.add(slow(30))
    stage.bot.post("gpu", group(alert("omen2")))
    until("the alert is being looked at", lambda: stage.cluster.faults.requests)
    asked = mention("omen3", channel="C0ALERTS")
    stage.say(asked)
    stage.bot.kill()
    restart(stage)
    stage.settle()

    assert stage.bot.post("gpu", group(alert("omen2"))).json()["fresh"] is False
    stage.say(asked)
    stage.settle()
    _, root, replies = stage.thread()
    assert "swapoff" in root["text"][:100]
    assert len(replies) == len(set(replies))
    ((answer,),) = stage.threads("C0ALERTS").values()
    assert "omen3" in words(answer)
    assert stage.incidents()[0].count == 1
    assert stage.dead() == 0


def test_told_to_stop_it_finishes_what_it_began(one_at_a_time: Stage) -> None:
    stage = one_at_a_time
    stage.cluster.faults.add(slow(0.2))
    stage.bot.post("gpu", group(alert("omen2")))
    until("the alert is being looked at", lambda: stage.cluster.faults.requests)
    assert stage.bot.stop() == 0
    assert len(stage.thread()[2]) == 3
    assert stage.bot.log("warning", "error") == [], "from its start to its end"
    stage.settle()


def test_ten_slow_diagnoses_hold_up_no_acknowledgement(stage: Stage) -> None:
    stage.cluster.faults.add(slow(20))
    bodies = [command("node omen2", **WHERE, response_url=stage.slack.response_url()) for _ in range(10)]
    bodies += [
        mention("omen3", channel="C0HOOK"),
        shortcut(message("omen3")["event"], channel={"id": "C0HOOK", "name": "hook"}),
        app_alert("[FIRING:1] omen4"),
        message("lunch?"),
        command("help", **WHERE),
    ]
    acknowledged = [stage.say(body) for body in bodies]
    reply = stage.bot.post("gpu", group(alert("omen2")))

    assert stage.slack.calls_of("chat.postMessage") == [], "nothing is answered yet"
    assert reply.status_code == 200
    assert all(one.seconds is not None and one.seconds < 3 for one in acknowledged)
    assert all(len(one.envelopes) == 1 for one in acknowledged)
    stage.cluster.faults.clear()
    stage.settle()
    assert len([one for one in stage.threads().values() if "omen2" in one[0]["text"]]) == 11


def _tells_how_full(stage: Stage) -> bool:
    """Whether the metrics, which are answered whatever Redis does, say how full it is."""
    answer = stage.bot.get("metrics")
    assert answer is not None
    assert answer.status_code == 200
    return "\nautopsy_redis_used_memory_bytes " in answer.text


def test_a_redis_that_comes_later_is_waited_for(own_redis: str, tmp_path: Path) -> None:
    with Gate(own_redis) as gate, staged(own_redis, tmp_path, lab_things(), REDIS_URL=gate.url) as stage:
        until("health is told", lambda: stage.bot.answers("healthz"))
        assert stage.bot.answers("readyz", 503)
        assert stage.bot.post("gpu", group(alert("omen2"))).status_code == 503
        shown = stage.say(command("node omen2", **WHERE)).answer
        assert (shown["response_type"], bool(words(shown))) == ("ephemeral", True)
        until("it is logged", lambda: stage.bot.log("warning"))
        assert not _tells_how_full(stage)
        gate.open()
        until("it is ready", lambda: stage.bot.answers("readyz"))
        assert _tells_how_full(stage)
        assert stage.bot.post("gpu", group(alert("omen2"))).json()["fresh"]
        stage.settle()
        assert len(stage.thread()[2]) == 3
        stage.bot.kill()
