"""Where the bot says nothing. Axes: what is said, what Slack answers about the channel now and answered before."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.adapters.slack.client import lookup_client, web_client
from bot.adapters.slack.inside import InsidePoster
from bot.adapters.slack.people import SlackPeople
from bot.adapters.slack.poster import SlackPoster
from bot.app.ports import NotInChannel, PostFailed, SharedOutside
from bot.model.incident import Place
from bot.model.message import Document, Message
from tests.support.slack_server import BOT_TOKEN, SlackServer

PLACE, MESSAGE = Place("C1"), Message("hello")


@pytest.fixture
def server() -> Iterator[SlackServer]:
    with SlackServer() as server:
        server.add_channel("C1")
        yield server


def poster(server: SlackServer, remember: float = 0) -> InsidePoster:
    people = SlackPeople(lookup_client(BOT_TOKEN, server.api_url), remember=remember)
    return InsidePoster(SlackPoster(web_client(BOT_TOKEN, server.api_url), interval=0), people)


def test_nothing_is_posted_edited_or_uploaded_where_strangers_read(server: SlackServer) -> None:
    inside = poster(server)
    ts = inside.post(PLACE, MESSAGE)
    server.channels["C1"]["is_ext_shared"] = True
    before = len(server.calls)
    for say in (
        lambda: inside.post(PLACE, MESSAGE),
        lambda: inside.edit(PLACE, ts, MESSAGE),
        lambda: inside.upload(PLACE, Document(name="a.md", text="x"), MESSAGE),
    ):
        with pytest.raises(SharedOutside):
            say()
    assert {one.method for one in server.calls[before:]} == {"conversations.info"}
    assert inside.is_shared("C1")
    inside.respond(server.response_url(), MESSAGE)

    server.channels["C1"]["is_ext_shared"] = False
    inside.edit(PLACE, ts, Message("again"))
    assert server.messages["C1", ts]["text"] == "again"
    assert not inside.is_shared("C1")


@pytest.mark.parametrize("shared", [False, True])
def test_where_slack_does_not_say_its_last_answer_counts(server: SlackServer, shared: bool) -> None:
    server.channels["C1"]["is_ext_shared"] = shared
    inside = poster(server)
    assert inside.is_shared("C1") is shared
    server.fail_next("conversations.info", "ratelimited", times=2, retry_after=30)
    assert inside.is_shared("C1") is shared
    if shared:
        with pytest.raises(SharedOutside):
            inside.post(PLACE, MESSAGE)
    else:
        inside.post(PLACE, MESSAGE)


def test_without_a_last_answer_it_fails_and_may_be_tried_again(server: SlackServer) -> None:
    server.fail_next("conversations.info", "ratelimited", times=2, retry_after=30)
    inside = poster(server)
    with pytest.raises(PostFailed, match="ratelimited"):
        inside.post(PLACE, MESSAGE)
    # Nobody is known to read along, so nothing that was approved waits for Slack.
    assert not inside.is_shared("C1")
    inside.post(PLACE, MESSAGE)


def test_what_was_known_of_a_channel_that_changed_counts_no_more(server: SlackServer) -> None:
    inside = poster(server, remember=3600)
    inside.post(PLACE, MESSAGE)
    server.channels["C1"]["is_ext_shared"] = True
    inside.post(PLACE, MESSAGE)
    inside.forget("C1")
    server.fail_next("conversations.info", "internal_error")
    with pytest.raises(PostFailed):
        inside.post(PLACE, MESSAGE)
    with pytest.raises(SharedOutside):
        inside.post(PLACE, MESSAGE)


def test_a_private_channel_that_the_bot_is_not_in(server: SlackServer) -> None:
    server.add_channel("C2", member=False, is_private=True)
    with pytest.raises(NotInChannel):
        poster(server).post(Place("C2"), MESSAGE)
