"""Axes: mention, shortcut, alert; taken, refused (and why), repeated; signed, forged, too old."""

from __future__ import annotations

import time
from typing import Any

import pytest

from bot.app.requests import AlertMessage, Ask
from bot.entry.wiring.slack import SlackSide
from bot.model.incident import Place
from tests.entry.slack.hearing import dispatch, said
from tests.support.slack_payloads import alert, command, mention, message, shortcut, signed
from tests.support.slack_ports import MemoryQueue
from tests.support.slack_server import SlackServer

# Mentions


@pytest.mark.parametrize(("thread", "place"), [(None, "7.1"), ("7.0", "7.0")])
def test_a_mention_is_queued_for_its_thread(
    side: SlackSide, queue: MemoryQueue, thread: str | None, place: str
) -> None:
    dispatch(side, mention("node omen2", ts="7.1", thread_ts=thread))
    assert queue.requests == [
        Ask(id="C0ALERTS:7.1", words="node/omen2", place=Place("C0ALERTS", place), user="U0ONCALL")
    ]


@pytest.mark.parametrize("mention_first", [True, False])
def test_both_events_of_a_mention_are_one_question(side: SlackSide, queue: MemoryQueue, mention_first: bool) -> None:
    bodies = [mention("node omen2", ts="7.1"), message("<@U0BOT> node omen2", ts="7.1")]
    for body in bodies if mention_first else reversed(bodies):
        dispatch(side, body)
    assert len(queue.requests) == 1


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("", "en:slack-help cluster=lab command=/autopsy"),
        ("node", "en:slack-name-missing kind=node shape=node NAME"),
    ],
)
def test_help_and_wrong_words_of_a_mention_are_answered_once_in_its_thread(
    side: SlackSide, server: SlackServer, queue: MemoryQueue, text: str, answer: str
) -> None:
    for body in (message(f"<@U0BOT> {text}", ts="7.1"), mention(text, ts="7.1"), mention(text, ts="7.1")):
        dispatch(side, body)
    assert said(side, server) == [("7.1", answer)]
    assert queue.calls == 0


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"user": "U0GUEST"}, "refused-guest"),
        ({"user": "U0GONE"}, "refused-deactivated"),
        ({"user": "U0STRANGER", "team": "T0OTHER"}, "refused-other-team"),
        ({"user": "U0STRANGER", "team": None}, "refused-other-team"),
        ({"user": "U0NOBODY"}, "refused-lookup-failed error=user_not_found"),
        ({"bot_id": "B0OTHER", "user": "U0OTHERBOT"}, "refused-bot"),
    ],
)
def test_refusals_of_mentions_stand_in_the_thread_once(
    side: SlackSide, server: SlackServer, queue: MemoryQueue, fields: dict[str, Any], reason: str
) -> None:
    for _ in range(3):
        dispatch(side, mention("node omen2", thread_ts="7.0", **fields))
    assert said(side, server) == [("7.0", f"en:{reason}")]
    assert queue.calls == 0


@pytest.mark.parametrize("fields", [{"is_ext_shared_channel": True}, {"channel": "C0SHARED"}])
def test_a_mention_in_a_shared_channel_is_refused_without_a_word(
    side: SlackSide, server: SlackServer, queue: MemoryQueue, fields: dict[str, Any]
) -> None:
    dispatch(side, mention("node omen2", thread_ts="7.0", **fields))
    assert said(side, server) == []
    assert queue.calls == 0


# The shortcut


def test_the_shortcut_queues_the_names_in_the_message_for_its_thread(side: SlackSide, queue: MemoryQueue) -> None:
    pressed = alert("", ts="8.1", attachments=[{"title": "KubeNodeNotReady", "text": "node omen2"}])["event"]
    body = shortcut(pressed, response_url="https://hooks.slack.com/app/1")
    dispatch(side, body)
    dispatch(side, body)
    assert queue.requests == [
        Ask(
            id=body["trigger_id"],
            words="omen2",
            place=Place("C0ALERTS", "8.1"),
            user="U0ONCALL",
            response_url="https://hooks.slack.com/app/1",
        )
    ]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"user": {"id": "U0GUEST"}}, "refused-guest"),
        ({"user": {"id": "U0STRANGER", "team_id": "T0OTHER"}}, "refused-other-team"),
        ({"team": {"id": "T0OTHER"}, "user": {"id": "U0ONCALL"}}, "refused-other-team"),
        ({"channel": {"id": "D0DIRECT", "name": "directmessage"}}, "refused-direct-message"),
        ({"channel": {"id": "C0SHARED", "name": "shared"}}, "refused-shared-channel"),
        ({"channel": {"id": "C0PRIVATE", "name": "private"}}, "refused-not-in-channel"),
    ],
)
def test_refusals_of_the_shortcut_go_to_who_pressed_it(
    side: SlackSide, server: SlackServer, queue: MemoryQueue, fields: dict[str, Any], reason: str
) -> None:
    dispatch(side, shortcut(message("node omen2")["event"], response_url=server.response_url(), **fields))
    assert [body["text"] for body in server.wait_for("response_url")] == [f"en:{reason}"]
    assert queue.calls == 0


# Alerts


def test_the_message_of_an_alert_app_is_queued_for_its_own_thread(
    side: SlackSide, server: SlackServer, queue: MemoryQueue
) -> None:
    dispatch(side, alert("[FIRING:1] KubeNodeNotReady omen2", ts="9.1"))
    text = "[FIRING:1] KubeNodeNotReady omen2"
    assert queue.requests == [AlertMessage(id="C0ALERTS:9.1", text=text, place=Place("C0ALERTS", "9.1"))]
    assert server.calls_of("users.info") == []


def test_a_channel_of_the_webhook_does_not_hear_the_app(side: SlackSide, queue: MemoryQueue) -> None:
    dispatch(side, alert("[FIRING:1] KubeNodeNotReady omen2", channel="C0HOOK"))
    assert queue.calls == 0


def test_a_person_who_pastes_an_alert_asks_nothing(side: SlackSide, queue: MemoryQueue) -> None:
    dispatch(side, message("[FIRING:1] KubeNodeNotReady omen2"))
    assert queue.calls == 0


# Delivery


def test_an_event_that_could_not_be_queued_is_not_acknowledged(side: SlackSide, queue: MemoryQueue) -> None:
    queue.fails = True
    body = mention("node omen2")
    assert side.app.dispatch(signed(body)).status == 500
    queue.fails = False
    assert side.app.dispatch(signed(body)).status == 200
    assert len(queue.requests) == 1


@pytest.mark.parametrize(("secret", "age"), [("forged", 0), ("signing-secret", 301), ("signing-secret", -302), ("", 0)])
@pytest.mark.parametrize("body", [command("node omen2"), mention("node omen2"), shortcut(message("x")["event"])])
def test_forged_and_old_requests_are_refused(
    side: SlackSide, queue: MemoryQueue, secret: str, age: int, body: dict[str, Any]
) -> None:
    assert side.app.dispatch(signed(body, secret=secret, at=time.time() - age)).status == 401
    assert queue.calls == 0
