"""Axes: command, mention, shortcut, alert, reply, file; taken, refused (and why), repeated; signed, forged, too old."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.app.requests import AlertMessage, Ask, Paste
from bot.entry.wiring.slack import SlackSide
from bot.model.incident import Place
from tests.entry.slack.conftest import OURS
from tests.support.slack_payloads import alert, command, mention, message, shortcut, signed
from tests.support.slack_ports import MemoryQueue, Threads
from tests.support.slack_server import SlackServer


def dispatch(side: SlackSide, body: dict[str, Any]) -> dict[str, Any]:
    """Send it as Slack would; returns what the acknowledgement says."""
    response = side.app.dispatch(signed(body))
    assert response.status == 200
    return json.loads(response.body) if response.body.startswith("{") else {"text": response.body}


def said(side: SlackSide, server: SlackServer) -> list[tuple[str, str]]:
    """Threads and texts of what the ear said by itself, once all of it is said."""
    side.executor.shutdown(wait=True)
    return [(body.get("thread_ts", ""), body["text"]) for body in server.calls_of("chat.postMessage")]


# Commands


@pytest.mark.parametrize(
    ("text", "words", "answer"),
    [
        ("node omen2", "node/omen2", "en:slack-looking-at cluster=lab subject=node/omen2"),
        ("vm vms/gpu-fedora", "vm/vms/gpu-fedora", "en:slack-looking-at cluster=lab subject=vm/vms/gpu-fedora"),
        ("cluster", "cluster", "en:slack-looking-at-cluster cluster=lab subject=cluster"),
        ("is omen2 ok?", "is omen2 ok?", "en:slack-looking-for cluster=lab words=is omen2 ok?"),
        (
            "node <http://gpu-1.lab|gpu-1.lab>",
            "node/gpu-1.lab",
            "en:slack-looking-at cluster=lab subject=node/gpu-1.lab",
        ),
    ],
)
def test_a_command_is_queued_and_says_what_is_looked_at(
    side: SlackSide, queue: MemoryQueue, text: str, words: str, answer: str
) -> None:
    body = command(text, response_url="https://hooks.slack.com/commands/1")
    assert dispatch(side, body) == {"response_type": "ephemeral", "text": answer}
    assert queue.requests == [
        Ask(
            id=body["trigger_id"],
            words=words,
            place=Place("C0ALERTS"),
            user="U0ONCALL",
            response_url="https://hooks.slack.com/commands/1",
        )
    ]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("", "en:slack-help cluster=lab command=/autopsy"),
        ("help", "en:slack-help cluster=lab command=/autopsy"),
        ("node", "en:slack-name-missing kind=node shape=node NAME"),
        ("node a/b", "en:slack-reference-malformed shape=node NAME words=node a/b"),
    ],
)
def test_help_and_wrong_words_are_answered_without_the_queue(
    side: SlackSide, queue: MemoryQueue, text: str, answer: str
) -> None:
    assert dispatch(side, command(text))["text"] == answer
    assert queue.calls == 0


def test_a_channel_speaks_its_own_language(side: SlackSide) -> None:
    assert dispatch(side, command("help", channel_id="C0KO"))["text"].startswith("ko:")


def test_a_command_is_taken_where_the_bot_is_not_since_its_answer_needs_no_channel(
    side: SlackSide, queue: MemoryQueue
) -> None:
    dispatch(side, command("node omen2", channel_id="C0NOTIN"))
    assert len(queue.requests) == 1


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"user_id": "U0GUEST"}, "refused-guest"),
        ({"user_id": "U0SINGLE"}, "refused-guest"),
        ({"user_id": "U0GONE"}, "refused-deactivated"),
        ({"user_id": "U0OTHERBOT"}, "refused-bot"),
        ({"user_id": "U0STRANGER"}, "refused-other-team"),
        ({"team_id": "T0OTHER"}, "refused-other-team"),
        ({"user_id": "U0NOBODY"}, "refused-lookup-failed error=user_not_found"),
        ({"channel_id": "C0SHARED"}, "refused-shared-channel"),
        ({"channel_id": "C0PRIVATE"}, "refused-not-in-channel"),
        ({"channel_id": "D0DIRECT", "channel_name": "directmessage"}, "refused-direct-message"),
        ({"channel_id": "C0GROUP", "channel_name": "mpdm-a--b-1"}, "refused-direct-message"),
    ],
)
@pytest.mark.parametrize("text", ["node omen2", "help"])
def test_refusals_of_commands_are_told_to_who_gave_them(
    side: SlackSide, queue: MemoryQueue, fields: dict[str, str], reason: str, text: str
) -> None:
    assert dispatch(side, command(text, **fields)) == {"response_type": "ephemeral", "text": f"en:{reason}"}
    assert queue.calls == 0


def test_where_slack_does_not_say_who_it_is_the_answer_is_no(
    side: SlackSide, server: SlackServer, queue: MemoryQueue
) -> None:
    server.fail_next("users.info", "internal_error")
    assert dispatch(side, command("cluster"))["text"] == "en:refused-lookup-failed error=internal_error"
    assert queue.calls == 0


def test_a_command_that_could_not_be_queued_says_so_since_slack_does_not_repeat_it(
    side: SlackSide, queue: MemoryQueue
) -> None:
    queue.fails = True
    assert dispatch(side, command("cluster"))["text"] == "en:slack-not-taken error=ConnectionError"


def test_a_repeated_command_is_queued_once(side: SlackSide, queue: MemoryQueue) -> None:
    body = command("node omen2")
    assert dispatch(side, body) == dispatch(side, body)
    assert len(queue.requests) == 1


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
        ({"is_ext_shared_channel": True}, "refused-shared-channel"),
        ({"channel": "C0SHARED"}, "refused-shared-channel"),
    ],
)
def test_refusals_of_mentions_stand_in_the_thread_once(
    side: SlackSide, server: SlackServer, queue: MemoryQueue, fields: dict[str, Any], reason: str
) -> None:
    for _ in range(3):
        dispatch(side, mention("node omen2", thread_ts="7.0", **fields))
    assert said(side, server) == [("7.0", f"en:{reason}")]
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


# Threads and pastes


def reply(text: str, **fields: Any) -> dict[str, Any]:
    return message(text, **({"ts": "100.5", "thread_ts": OURS.thread} | fields))


def test_a_reply_in_a_thread_of_ours_is_a_paste(side: SlackSide, queue: MemoryQueue) -> None:
    dispatch(side, reply("```\nE0710 a &lt;b&gt;\n```"))
    at = datetime.fromtimestamp(100.5, UTC)
    (paste,) = queue.requests
    wanted = Paste(id="C0ALERTS:100.5", text="E0710 a <b>", place=OURS, user="U0ONCALL", at=at, addressed=True)
    assert paste == wanted


def test_a_mention_in_a_thread_of_ours_is_a_question(side: SlackSide, queue: MemoryQueue) -> None:
    dispatch(side, reply("<@U0BOT> node omen3"))
    assert queue.requests == [Ask(id="C0ALERTS:100.5", words="node/omen3", place=OURS, user="U0ONCALL")]


@pytest.mark.parametrize(
    "body",
    [
        message("shall we have lunch?"),
        message("it is omen2 again", thread_ts="55.5"),
        reply("secret", subtype="message_changed"),
        reply("secret", subtype="message_deleted", hidden=True),
        reply("secret", subtype="channel_join"),
        reply("our own words", user="U0BOT"),
        reply("another bot", bot_id="B0OTHER", app_id="A0OTHER"),
        reply(" \n "),
    ],
    ids=["channel", "thread of others", "edit", "deletion", "join", "ours", "bot", "blank"],
)
def test_what_is_not_for_the_bot_leaves_no_trace(
    side: SlackSide,
    server: SlackServer,
    queue: MemoryQueue,
    body: dict[str, Any],
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level("DEBUG")
    dispatch(side, body)
    assert queue.calls == 0
    assert said(side, server) == []
    out = "".join(capfd.readouterr()) + caplog.text
    assert not (text := body["event"]["text"].strip()) or text not in out


def test_chatter_outside_threads_is_not_even_looked_up(side: SlackSide, server: SlackServer, threads: Threads) -> None:
    before = len(server.calls)
    dispatch(side, message("shall we have lunch?"))
    assert threads.asked == []
    assert len(server.calls) == before


def test_chatter_in_a_thread_of_others_is_looked_up_by_its_place_only(
    side: SlackSide, server: SlackServer, threads: Threads
) -> None:
    before = len(server.calls)
    dispatch(side, message("shall we have lunch?", thread_ts="55.5"))
    assert threads.asked == [Place("C0ALERTS", "55.5")]
    assert len(server.calls) == before


def test_a_guest_in_a_thread_of_ours_is_told_once(side: SlackSide, server: SlackServer, queue: MemoryQueue) -> None:
    for ts in ("100.5", "100.6"):
        dispatch(side, reply("E0710", ts=ts, user="U0GUEST"))
    assert said(side, server) == [(OURS.thread, "en:refused-guest")]
    assert queue.calls == 0


def dropped(server: SlackServer, text: str = "", **fields: Any) -> dict[str, Any]:
    files = [server.add_file("kubelet.log", b"E0710 swap\n")]
    return reply(text, subtype="file_share", **({"files": files} | fields))


@pytest.mark.parametrize(("text", "whole"), [("", "E0710 swap\n"), ("from omen2", "from omen2\nE0710 swap\n")])
def test_a_dropped_file_is_a_paste(
    side: SlackSide, server: SlackServer, queue: MemoryQueue, text: str, whole: str
) -> None:
    dispatch(side, dropped(server, text))
    assert [request.text for request in queue.requests if isinstance(request, Paste)] == [whole]


def test_a_file_with_a_mention_in_a_thread_of_ours_is_one_paste(
    side: SlackSide, server: SlackServer, queue: MemoryQueue
) -> None:
    body = dropped(server, "<@U0BOT> from omen2")
    dispatch(side, body)
    dispatch(side, body | {"event_id": "Ev-twin", "event": body["event"] | {"type": "app_mention", "subtype": None}})
    assert [type(request) for request in queue.requests] == [Paste]


@pytest.mark.parametrize("text", ["\nE0710 swap\nE0710 swap", "```E0710 swap```"], ids=["lines", "code"])
@pytest.mark.parametrize(("thread", "kind"), [(OURS.thread, Paste), (None, Ask)], ids=["in ours", "outside"])
def test_a_text_with_a_mention_in_a_thread_of_ours_is_a_paste(
    side: SlackSide, queue: MemoryQueue, text: str, thread: str | None, kind: type
) -> None:
    dispatch(side, mention(text, thread_ts=thread))
    assert [type(request) for request in queue.requests] == [kind]


@pytest.mark.parametrize(
    ("text", "is_addressed"),
    [
        ("E0710 swap", False),
        ("E0710 swap\nE0710 swap", False),
        ("```E0710 swap```", True),
        ("<@U0BOT> ```E0710 swap```", True),
    ],
    ids=["a line", "lines", "code", "code with a mention"],
)
def test_whether_a_paste_was_meant_for_the_bot_goes_along(
    side: SlackSide, queue: MemoryQueue, text: str, is_addressed: bool
) -> None:
    dispatch(side, reply(text))
    assert [one.addressed for one in queue.requests if isinstance(one, Paste)] == [is_addressed]


def test_a_file_with_a_question_outside_is_both(side: SlackSide, server: SlackServer, queue: MemoryQueue) -> None:
    dispatch(side, dropped(server, "<@U0BOT> node omen2", thread_ts=None))
    ask, paste = queue.requests
    assert isinstance(ask, Ask)
    assert isinstance(paste, Paste)
    assert paste.addressed
    assert ask.words == "node/omen2"
    assert paste.text == "E0710 swap\n"
    assert ask.place == paste.place == Place("C0ALERTS", "100.5")
    assert ask.id != paste.id


def test_a_file_in_a_thread_of_others_is_not_fetched(side: SlackSide, server: SlackServer, queue: MemoryQueue) -> None:
    dispatch(side, dropped(server, thread_ts="55.5"))
    assert queue.calls == 0


@pytest.mark.parametrize(
    ("content", "change", "told"),
    [
        (b"x" * 1001, {}, "slack-file-too-big limit=1 kB name=kubelet.log"),
        (b"x" * 1001, {"size": None}, "slack-file-too-big limit=1 kB name=kubelet.log"),
        (b"\x89PNG", {"mimetype": "image/png"}, "slack-file-not-text name=kubelet.log"),
        (b"a\0b", {}, "slack-file-not-text name=kubelet.log"),
        (b"x", {"is_external": True}, "slack-file-unreadable name=kubelet.log why=not kept by Slack"),
        (
            b"x",
            {"url_private": "https://evil.example/x"},
            "slack-file-unreadable name=kubelet.log why=not an address of Slack's",
        ),
    ],
    ids=["told size", "untold size", "picture", "binary", "external", "foreign address"],
)
def test_a_file_that_is_not_read_is_told_with_the_reason(
    side: SlackSide, server: SlackServer, queue: MemoryQueue, content: bytes, change: dict[str, Any], told: str
) -> None:
    file = server.add_file("kubelet.log", content) | change
    dispatch(side, reply("from omen2", subtype="file_share", files=[file]))
    assert said(side, server) == [(OURS.thread, f"en:{told}")]
    assert [request.text for request in queue.requests if isinstance(request, Paste)] == ["from omen2"]


# Delivery


def test_an_event_that_could_not_be_queued_is_not_acknowledged(side: SlackSide, queue: MemoryQueue) -> None:
    queue.fails = True
    body = mention("node omen2")
    assert side.app.dispatch(signed(body)).status == 500
    queue.fails = False
    assert side.app.dispatch(signed(body)).status == 200
    assert len(queue.requests) == 1


@pytest.mark.parametrize(("secret", "age"), [("forged", 0), ("signing-secret", 301), ("signing-secret", -301), ("", 0)])
@pytest.mark.parametrize("body", [command("node omen2"), mention("node omen2"), shortcut(message("x")["event"])])
def test_forged_and_old_requests_are_refused(
    side: SlackSide, queue: MemoryQueue, secret: str, age: int, body: dict[str, Any]
) -> None:
    assert side.app.dispatch(signed(body, secret=secret, at=time.time() - age)).status == 401
    assert queue.calls == 0
