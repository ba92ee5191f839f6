"""Axes: a reply, a file, a mention; in a thread of ours or elsewhere; by whom; meant for the bot or not."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.app.requests import Ask, Paste
from bot.entry.wiring.slack import SlackSide
from bot.model.incident import Place
from tests.entry.slack.hearing import OURS, dispatch, reply, said
from tests.support.slack_payloads import mention, message
from tests.support.slack_ports import MemoryQueue, Threads
from tests.support.slack_server import SlackServer


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
        (b"x", {"is_external": True}, "slack-file-unreadable name=kubelet.log why=slack-file-elsewhere"),
        (
            b"x",
            {"url_private": "https://evil.example/x"},
            "slack-file-unreadable name=kubelet.log why=slack-file-address",
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
