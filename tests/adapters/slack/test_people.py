"""Axes: person or channel, every flag that counts, known already or not, answered, refused or not reached."""

from collections.abc import Iterator
from typing import Any

import pytest

from bot.adapters.slack.client import lookup_client
from bot.adapters.slack.people import SlackPeople
from bot.app.ports.people import Channel, ChannelNotVisible, LookupFailed, Person
from tests.support.slack_server import BOT_TOKEN, TEAM, SlackServer


class Time:
    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def server() -> Iterator[SlackServer]:
    with SlackServer() as server:
        server.add_user("U1")
        server.add_channel("C1")
        yield server


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def people(server: SlackServer, time: Time) -> SlackPeople:
    return SlackPeople(lookup_client(BOT_TOKEN, server.api_url), monotonic=time.monotonic)


@pytest.mark.parametrize(
    ("flags", "wanted"),
    [
        ({}, {}),
        ({"deleted": True}, {"deleted": True}),
        ({"is_bot": True}, {"is_bot": True}),
        ({"is_restricted": True}, {"is_guest": True}),
        ({"is_ultra_restricted": True}, {"is_guest": True}),
        ({"is_stranger": True}, {"is_stranger": True}),
        ({"team_id": "T0OTHER"}, {"teams": ("T0OTHER",)}),
        ({"team_id": "E1", "enterprise_user": {"teams": [TEAM]}}, {"teams": ("E1", TEAM)}),
        ({"enterprise_user": {"id": "W1", "teams": []}}, {"enterprise": "W1"}),
        ({"profile": {"email": " U2@Example.COM"}}, {"email": "u2@example.com"}),
        ({"profile": {"email": None}}, {"email": ""}),
        ({"profile": None}, {"email": ""}),
    ],
)
def test_a_person_is_told_by_the_flags_of_the_account(
    server: SlackServer, people: SlackPeople, flags: dict[str, Any], wanted: dict[str, Any]
) -> None:
    server.add_user("U2", **flags)
    expected = {"id": "U2", "teams": (TEAM,), "email": "u2@example.com"} | wanted
    assert people.person("U2") == Person(**expected)


def test_slackbot_is_a_bot_although_it_is_not_marked_so(server: SlackServer, people: SlackPeople) -> None:
    server.add_user("USLACKBOT")
    assert people.person("USLACKBOT").is_bot


@pytest.mark.parametrize(
    ("flags", "wanted"),
    [
        ({}, {"is_member": True}),
        ({"member": False}, {}),
        ({"is_ext_shared": True}, {"is_member": True, "is_external": True}),
        ({"is_pending_ext_shared": True}, {"is_member": True, "is_external": True}),
        ({"is_shared": True, "is_org_shared": True}, {"is_member": True}),
        ({"is_shared": True}, {"is_member": True, "is_external": True}),
        ({"is_mpim": True}, {"is_member": True, "is_direct": True}),
        ({"is_im": True}, {"is_member": True, "is_direct": True}),
    ],
)
def test_a_channel_is_told_by_its_flags(
    server: SlackServer, people: SlackPeople, flags: dict[str, Any], wanted: dict[str, Any]
) -> None:
    server.add_channel("C2", **flags)
    assert people.channel("C2") == Channel(**({"id": "C2"} | wanted))


def test_an_answer_is_good_for_a_minute_and_no_longer(server: SlackServer, people: SlackPeople, time: Time) -> None:
    people.person("U1")
    server.add_user("U1", deleted=True)
    time.now = 59.9
    assert not people.person("U1").deleted
    time.now = 60.0
    assert people.person("U1").deleted
    assert len(server.calls_of("users.info")) == 2


def test_a_failure_is_told_by_its_name_and_not_remembered(server: SlackServer, people: SlackPeople) -> None:
    server.fail_next("users.info", "ratelimited", retry_after=30)
    with pytest.raises(LookupFailed, match="ratelimited"):
        people.person("U1")
    assert people.person("U1").id == "U1"


def test_unknown_people_and_missing_scopes_are_failures(server: SlackServer, people: SlackPeople) -> None:
    with pytest.raises(LookupFailed, match="user_not_found"):
        people.person("U0NOBODY")
    server.scopes = frozenset()
    with pytest.raises(LookupFailed, match="missing_scope"):
        people.person("U1")
    with pytest.raises(LookupFailed, match="missing_scope"):
        people.channel("C1")


def test_a_private_channel_without_the_bot_cannot_be_seen(server: SlackServer, people: SlackPeople) -> None:
    server.add_channel("C3", member=False, is_private=True)
    with pytest.raises(ChannelNotVisible):
        people.channel("C3")


def test_a_server_that_is_away_is_a_failure() -> None:
    with SlackServer() as server:
        url = server.api_url
    with pytest.raises(LookupFailed, match="URLError"):
        SlackPeople(lookup_client(BOT_TOKEN, url)).person("U1")
