"""Axes: a group with members, disabled, unknown; Slack answers, refuses, is away; remembered or not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.adapters.slack.client import lookup_client
from bot.adapters.slack.groups import SlackGroups
from bot.adapters.slack.people import Recent
from bot.app.ports.people import LookupFailed
from tests.support.slack_server import BOT_TOKEN, SlackServer


@pytest.fixture
def server() -> Iterator[SlackServer]:
    with SlackServer() as server:
        server.groups["S0GPU"] = ["U0FIRST"]
        yield server


def groups(server: SlackServer, monotonic: float = 0.0) -> SlackGroups:
    return SlackGroups(lookup_client(BOT_TOKEN, server.api_url), remember=30, monotonic=lambda: monotonic)


def test_the_members_are_those_that_slack_names(server: SlackServer) -> None:
    assert groups(server).members("S0GPU") == {"U0FIRST"}


def test_an_answer_is_good_for_half_a_minute(server: SlackServer) -> None:
    now = [0.0]
    asked = SlackGroups(lookup_client(BOT_TOKEN, server.api_url), remember=30, monotonic=lambda: now[0])
    assert asked.members("S0GPU") == {"U0FIRST"}
    server.groups["S0GPU"].clear()
    now[0] = 29
    assert asked.members("S0GPU") == {"U0FIRST"}
    now[0] = 30
    assert asked.members("S0GPU") == frozenset()


@pytest.mark.parametrize("error", ["ratelimited", "subteam_disabled", "missing_scope"])
def test_what_slack_does_not_say_is_no_answer_and_not_remembered(server: SlackServer, error: str) -> None:
    asked = groups(server)
    server.fail_next("usergroups.users.list", error)
    with pytest.raises(LookupFailed, match=error):
        asked.members("S0GPU")
    assert asked.members("S0GPU") == {"U0FIRST"}


def test_a_group_that_is_not_there(server: SlackServer) -> None:
    with pytest.raises(LookupFailed, match="no_such_subteam"):
        groups(server).members("S0NONE")


def test_a_slack_that_is_away() -> None:
    with pytest.raises(LookupFailed):
        SlackGroups(lookup_client(BOT_TOKEN, "http://127.0.0.1:1/api/")).members("S0GPU")


def test_a_group_that_changed_is_asked_for_anew(server: SlackServer) -> None:
    asked = groups(server)
    assert asked.members("S0GPU") == {"U0FIRST"}
    server.groups["S0GPU"].clear()
    asked.forget("S0GPU")
    assert asked.members("S0GPU") == frozenset()


def test_an_answer_that_was_on_its_way_when_the_group_changed_is_not_remembered() -> None:
    recent: Recent[str] = Recent(30, lambda: 0.0)

    def overtaken() -> str:
        recent.forget("S0GPU")
        return "before"

    assert recent.get("S0GPU", overtaken) == "before"
    assert recent.get("S0GPU", lambda: "after") == "after"
