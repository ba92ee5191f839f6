"""Axes: kind of payload; taken, slow, failing, repeated; connection refreshed, dropped, silent; bad tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from bot.app.requests import AlertMessage, Ask, Paste
from bot.entry.slack.socket import SlackRefused
from bot.entry.wiring.slack import SlackSecrets, SlackSide, slack_side
from tests.entry.slack.hearing import OURS, SETTINGS, secrets
from tests.support.slack_payloads import alert, command, mention, message, shortcut, socket_kind
from tests.support.slack_people import populate
from tests.support.slack_ports import MemoryQueue, ShownKeys, Threads
from tests.support.slack_server import BOT_TOKEN, SlackServer
from tests.support.slack_socket import Delivery


def send(server: SlackServer, body: dict[str, Any]) -> Delivery:
    return server.socket.send(socket_kind(body), body)


@pytest.fixture
def connected(server: SlackServer, side: SlackSide) -> Iterator[SlackSide]:
    side.socket.connect()
    server.socket.wait_for_connection()
    yield side
    assert server.socket.unexpected == []


def test_every_kind_of_payload_is_heard_and_acknowledged(
    server: SlackServer, queue: MemoryQueue, connected: SlackSide
) -> None:
    bodies = [
        command("node omen2"),
        mention("node omen2"),
        shortcut(message("omen2")["event"]),
        alert("[FIRING:1] omen2"),
        message("E0710", thread_ts=OURS.thread),
    ]
    for body in bodies:
        assert send(server, body).wait().seconds is not None
    assert [type(request) for request in queue.requests] == [Ask, Ask, Ask, AlertMessage, Paste]


def test_the_answer_to_a_command_travels_in_its_acknowledgement(server: SlackServer, connected: SlackSide) -> None:
    answer = send(server, command("node omen2")).wait().answer
    assert answer == {"response_type": "ephemeral", "text": "en:slack-looking-at cluster=lab subject=node/omen2"}


def test_chatter_is_acknowledged_and_goes_nowhere(
    server: SlackServer, queue: MemoryQueue, connected: SlackSide, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    send(server, message("shall we have lunch?")).wait()
    assert queue.calls == 0
    assert "lunch" not in caplog.text


def test_ten_slow_requests_hold_up_no_acknowledgement(
    server: SlackServer, queue: MemoryQueue, connected: SlackSide
) -> None:
    queue.gate.clear()
    try:
        slow = [send(server, mention(f"node gpu-{number}")) for number in range(10)]
        queue.wait_for_waiting(10)
        quick = [send(server, command("help")).wait(), send(server, message("lunch?")).wait()]
        assert server.socket.acked == quick
    finally:
        queue.gate.set()
    for delivery in slow:
        delivery.wait()
    assert len(queue.requests) == 10
    assert all(delivery.seconds is not None and delivery.seconds < 3 for delivery in quick)


def test_an_event_whose_queue_fails_is_sent_again_and_queued_once(
    server: SlackServer, queue: MemoryQueue, connected: SlackSide
) -> None:
    queue.fails = True
    delivery = send(server, mention("node omen2"))
    queue.wait_for_refusals(1)
    queue.fails = False
    delivery.wait()
    assert len(delivery.envelopes) > 1
    assert len(queue.requests) == 1


def test_a_redelivered_event_is_queued_once(server: SlackServer, queue: MemoryQueue, connected: SlackSide) -> None:
    body = mention("node omen2")
    for _ in range(3):
        send(server, body).wait()
    assert queue.calls == 3
    assert len(queue.requests) == 1


def test_a_refreshed_connection_is_replaced(server: SlackServer, queue: MemoryQueue, connected: SlackSide) -> None:
    server.socket.ask_to_refresh()
    server.socket.wait_for_connection(2)
    send(server, mention("node omen2")).wait()
    assert len(queue.requests) == 1


def test_a_dropped_connection_is_replaced(server: SlackServer, queue: MemoryQueue, connected: SlackSide) -> None:
    server.socket.drop()
    server.socket.wait_for_connection(2)
    send(server, mention("node omen2")).wait()
    assert len(queue.requests) == 1


def test_a_server_that_falls_silent_is_left_and_nothing_is_lost(
    server: SlackServer, queue: MemoryQueue, connected: SlackSide
) -> None:
    server.socket.mute()
    lost = send(server, mention("node omen2"))
    server.socket.wait_for_connection(2)
    lost.wait()
    assert len(queue.requests) == 1
    assert connected.socket.silent_for() is not None


def test_before_the_first_connection_nothing_is_known_of_silence(side: SlackSide) -> None:
    assert side.socket.silent_for() is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"bot_token": "xoxb-wrong"}, r"the bot token: invalid_auth \(auth.test\)"),
        ({"app_token": "xapp-wrong"}, r"the app-level token: invalid_auth \(apps.connections.open\)"),
        ({"app_token": BOT_TOKEN}, "not_allowed_token_type"),
        ({"api_url": "http://127.0.0.1:1/api/"}, "cannot be reached"),
    ],
)
def test_a_bad_token_ends_the_start_with_its_reason(server: SlackServer, change: dict[str, str], reason: str) -> None:
    with pytest.raises(SlackRefused, match=reason):
        start(msgspec.structs.replace(secrets(server), **change))


def test_a_token_of_another_workspace_ends_the_start(server: SlackServer) -> None:
    with pytest.raises(SlackRefused, match="T0TEAM, and T0OTHER is configured"):
        start(secrets(server), team_id="T0OTHER")


def test_a_language_without_words_ends_the_start(server: SlackServer) -> None:
    with pytest.raises(ValueError, match="no words in the language de"):
        start(secrets(server), lang="de")


def start(secrets: SlackSecrets, **settings: Any) -> SlackSide:
    return slack_side(
        msgspec.structs.replace(SETTINGS, **settings),
        secrets,
        queue=MemoryQueue(),
        incidents=Threads(),
        presenters={"en": ShownKeys("en"), "ko": ShownKeys("ko")},
    )


def test_web_api_and_socket_mode_both_go_to_the_given_address(server: SlackServer, connected: SlackSide) -> None:
    with SlackServer() as other:
        populate(other)
        side = start(SlackSecrets(bot_token=BOT_TOKEN, app_token="xapp-test", api_url=other.api_url.rstrip("/")))
        side.socket.connect()
        other.socket.wait_for_connection()
        other.socket.send("slash_commands", command("node omen2")).wait()
        side.close()
        assert {call.method for call in other.calls} >= {"auth.test", "apps.connections.open", "users.info"}
    assert "users.info" not in {call.method for call in server.calls}


def test_secrets_show_themselves_in_no_repr() -> None:
    shown = repr(SlackSecrets(bot_token="xoxb-1", app_token="xapp-1", signing_secret="s-1"))
    assert "xoxb-1" not in shown
    assert "xapp-1" not in shown
    assert "s-1" not in shown
