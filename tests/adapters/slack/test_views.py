"""Axes: a good trigger, one that is used up, Slack away."""

from __future__ import annotations

import pytest

from bot.adapters.slack.client import lookup_client
from bot.adapters.slack.views import SlackViews
from bot.app.ports.people import CannotOpen
from tests.support.slack_server import BOT_TOKEN, SlackServer

VIEW = {
    "type": "modal",
    "title": {"type": "plain_text", "text": "Details"},
    "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "x"}}],
}


def test_a_trigger_opens_one_view() -> None:
    with SlackServer() as server:
        server.triggers.add("t1")
        views = SlackViews(lookup_client(BOT_TOKEN, server.api_url))
        views.open("t1", VIEW)
        assert server.calls_of("views.open")[0]["view"] == VIEW
        with pytest.raises(CannotOpen, match="exchanged_trigger_id"):
            views.open("t1", VIEW)


def test_a_slack_that_is_away() -> None:
    with pytest.raises(CannotOpen):
        SlackViews(lookup_client(BOT_TOKEN, "http://127.0.0.1:1/api/")).open("t1", VIEW)
