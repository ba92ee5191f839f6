"""Axes: post, edit, file, response URL; accepted, refused for its blocks, rate limited, not allowed there, broken."""

from collections.abc import Iterator
from typing import Any

import pytest

from bot.adapters.slack.client import web_client
from bot.adapters.slack.poster import SlackPoster
from bot.app.ports import NotInChannel, PostFailed, Undeliverable
from bot.model.incident import Place
from bot.model.message import Document, Message
from tests.support.slack_server import ALL_SCOPES, BOT_TOKEN, SlackServer

PLACE = Place("C0ALERTS", "1.0")
TEXT = {"type": "section", "text": {"type": "mrkdwn", "text": "Root: swap on `omen2`"}}
MESSAGE = Message("OPEN lab omen2", (TEXT,))
#: More blocks than Slack takes.
TOO_MANY = Message("OPEN lab omen2", (TEXT,) * 51)


@pytest.fixture
def server() -> Iterator[SlackServer]:
    with SlackServer() as server:
        server.add_channel("C0ALERTS")
        server.add_channel("C0NOTIN", member=False)
        server.add_channel("C0PRIVATE", member=False, is_private=True)
        yield server


@pytest.fixture
def poster(server: SlackServer) -> SlackPoster:
    return SlackPoster(web_client(BOT_TOKEN, server.api_url), interval=0)


def test_a_post_goes_into_the_thread_and_opens_no_preview(server: SlackServer, poster: SlackPoster) -> None:
    ts = poster.post(PLACE, MESSAGE)
    assert ("C0ALERTS", ts) in server.messages
    assert server.calls_of("chat.postMessage") == [
        {
            "channel": "C0ALERTS",
            "thread_ts": "1.0",
            "text": "OPEN lab omen2",
            "blocks": [TEXT],
            "unfurl_links": False,
            "unfurl_media": False,
        }
    ]


def test_without_thread_and_blocks_neither_is_sent(server: SlackServer, poster: SlackPoster) -> None:
    poster.post(Place("C0ALERTS"), Message("hello"))
    assert set(server.calls_of("chat.postMessage")[0]) == {"channel", "text", "unfurl_links", "unfurl_media"}


def test_an_edit_always_sends_the_blocks_since_slack_keeps_those_it_is_not_sent(
    server: SlackServer, poster: SlackPoster
) -> None:
    ts = poster.post(PLACE, MESSAGE)
    poster.edit(PLACE, ts, Message("RESOLVED lab omen2"))
    assert server.messages["C0ALERTS", ts]["blocks"] == []
    assert server.messages["C0ALERTS", ts]["text"] == "RESOLVED lab omen2"


@pytest.mark.parametrize("channel", ["C0NOTIN", "C0PRIVATE", "C0GONE"])
def test_where_the_bot_is_not_it_says_so(poster: SlackPoster, channel: str) -> None:
    with pytest.raises(NotInChannel):
        poster.post(Place(channel), MESSAGE)


def test_an_edit_of_what_is_not_there_fails_by_name(poster: SlackPoster) -> None:
    with pytest.raises(Undeliverable, match=r"chat.update: message_not_found"):
        poster.edit(PLACE, "9.9", MESSAGE)


def test_blocks_that_slack_refuses_are_sent_again_as_text(server: SlackServer, poster: SlackPoster) -> None:
    ts = poster.post(PLACE, TOO_MANY)
    first, second = server.calls_of("chat.postMessage")
    assert len(first["blocks"]) == 51
    assert "blocks" not in second
    assert second["text"].splitlines() == ["OPEN lab omen2", *["Root: swap on `omen2`"] * 51]
    poster.edit(PLACE, ts, TOO_MANY)
    assert server.messages["C0ALERTS", ts]["blocks"] == []


def test_text_of_blocks_does_not_come_alive_as_text(server: SlackServer, poster: SlackPoster) -> None:
    header = {"type": "header", "text": {"type": "plain_text", "text": "<!channel>" * 20}}
    poster.post(PLACE, Message("OPEN", (header,)))
    assert "<!channel>" not in server.calls_of("chat.postMessage")[1]["text"]


def test_a_text_beyond_the_limit_is_cut_and_says_so(server: SlackServer, poster: SlackPoster) -> None:
    poster.post(PLACE, Message("x" * 50_000))
    assert "… (+" in server.calls_of("chat.postMessage")[0]["text"][-100:]


def test_a_rate_limit_is_waited_for(server: SlackServer, poster: SlackPoster) -> None:
    server.fail_next("chat.postMessage", "ratelimited", retry_after=0)
    poster.post(PLACE, MESSAGE)
    assert len(server.calls_of("chat.postMessage")) == 2


def test_waiting_for_rate_limits_has_an_end(server: SlackServer) -> None:
    poster = SlackPoster(web_client(BOT_TOKEN, server.api_url, most_sleep=30))
    server.fail_next("chat.postMessage", "ratelimited", retry_after=60)
    with pytest.raises(PostFailed, match="ratelimited"):
        poster.post(PLACE, MESSAGE)
    assert len(server.calls_of("chat.postMessage")) == 1


def test_a_second_message_within_a_second_waits(server: SlackServer, poster: SlackPoster) -> None:
    server.one_per_second = True
    poster.post(PLACE, MESSAGE)
    poster.post(PLACE, MESSAGE)
    assert len(server.messages) == 2
    assert len(server.calls_of("chat.postMessage")) == 3


def test_a_server_that_is_away_is_a_failed_post() -> None:
    with SlackServer() as server:
        url = server.api_url
    with pytest.raises(PostFailed, match=r"chat.postMessage: URLError"):
        SlackPoster(web_client(BOT_TOKEN, url)).post(PLACE, MESSAGE)


def answers(server: SlackServer) -> list[dict[str, Any]]:
    return server.calls_of("response_url")


def test_a_command_is_answered_for_one_pair_of_eyes(server: SlackServer, poster: SlackPoster) -> None:
    poster.respond(server.response_url(), MESSAGE)
    assert answers(server)[0]["response_type"] == "ephemeral"
    assert answers(server)[0]["replace_original"] is False
    assert answers(server)[0]["blocks"] == [TEXT]


def test_refused_blocks_of_a_response_are_sent_again_as_text(server: SlackServer, poster: SlackPoster) -> None:
    poster.respond(server.response_url(), TOO_MANY)
    assert "blocks" not in answers(server)[1]
    assert answers(server)[1]["text"].startswith("OPEN lab omen2\nRoot")


@pytest.mark.parametrize(
    ("error", "is_final"),
    [
        ("is_archived", True),
        ("restricted_action_read_only_channel", True),
        ("fatal_error", False),
        ("invalid_auth", False),
    ],
)
def test_what_no_repetition_can_deliver_is_told_apart(
    server: SlackServer, poster: SlackPoster, error: str, is_final: bool
) -> None:
    server.fail_next("chat.postMessage", error)
    with pytest.raises(PostFailed, match=error) as why:
        poster.post(PLACE, MESSAGE)
    assert isinstance(why.value, Undeliverable) == is_final


def test_a_response_url_that_is_used_up_or_too_old_is_a_failed_post(server: SlackServer, poster: SlackPoster) -> None:
    url = server.response_url()
    for _ in range(5):
        poster.respond(url, Message("again"))
    with pytest.raises(Undeliverable, match="used_url") as why:
        poster.respond(url, Message("once more"))
    assert url not in str(why.value)
    fresh = server.response_url()
    server.later = 1801
    with pytest.raises(Undeliverable, match="expired_url"):
        poster.respond(fresh, Message("late"))


STORY = Document(name="postmortem-abc.md", text="# 사후 보고서\n" + "x" * 60_000)


@pytest.mark.parametrize("thread", ["1.0", ""])
def test_a_file_comes_into_the_thread_whole(server: SlackServer, poster: SlackPoster, thread: str) -> None:
    poster.upload(Place("C0ALERTS", thread), STORY, Message("the story"))

    assert server.shared() == [(f"C0ALERTS {thread}", STORY.name, STORY.text)]
    assert [one["text"] for one in server.messages.values()] == ["the story"]


@pytest.mark.parametrize("error", ["file_uploads_disabled", "internal_error"])
@pytest.mark.parametrize("method", ["files.getUploadURLExternal", "upload", "files.completeUploadExternal"])
def test_a_file_that_slack_refuses_fails_by_name(
    server: SlackServer, poster: SlackPoster, method: str, error: str
) -> None:
    server.fail_next(method, error)
    with pytest.raises(PostFailed, match=r"files\.upload: " + ("HTTPError" if method == "upload" else error)):
        poster.upload(PLACE, STORY, MESSAGE)
    assert server.messages == {}


def test_a_file_needs_its_scope() -> None:
    with SlackServer(scopes=ALL_SCOPES - {"files:write"}) as server:
        server.add_channel("C0ALERTS")
        poster = SlackPoster(web_client(BOT_TOKEN, server.api_url))
        with pytest.raises(PostFailed, match="missing_scope"):
            poster.upload(PLACE, STORY, MESSAGE)


@pytest.mark.parametrize("channel", ["C0NOTIN", "C0PRIVATE", "C0GONE"])
def test_where_the_bot_is_not_no_file_is_put(server: SlackServer, poster: SlackPoster, channel: str) -> None:
    with pytest.raises(NotInChannel):
        poster.upload(Place(channel), STORY, MESSAGE)
    assert server.shared() == []


def test_a_file_on_a_broken_connection_fails_by_name(server: SlackServer) -> None:
    poster = SlackPoster(web_client(BOT_TOKEN, "http://127.0.0.1:9/"))
    with pytest.raises(PostFailed, match=r"files\.upload: "):
        poster.upload(PLACE, STORY, MESSAGE)
