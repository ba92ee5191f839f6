"""Axes: what the payload tells, what the channel is, who the person is, and whether Slack says so at all."""

from typing import Any

import pytest

from bot.app.ports.people import Channel, ChannelNotVisible, LookupFailed, Person
from bot.entry.slack.guard import Asker, Guard, Reason, Refused

TEAM = "T0TEAM"


class Directory:
    """People and channels as they are told, or an error instead."""

    def __init__(self, person: Person | Exception, channel: Channel | Exception) -> None:
        self._person = person
        self._channel = channel

    def person(self, user: str) -> Person:
        if isinstance(self._person, Exception):
            raise self._person
        return self._person

    def channel(self, channel: str) -> Channel:
        if isinstance(self._channel, Exception):
            raise self._channel
        return self._channel


def refusal(
    asker: dict[str, Any] | None = None,
    person: dict[str, Any] | Exception | None = None,
    channel: dict[str, Any] | Exception | None = None,
) -> Refused | None:
    who = person if isinstance(person, Exception) else Person(**({"id": "U1", "teams": (TEAM,)} | (person or {})))
    where = channel if isinstance(channel, Exception) else Channel(**({"id": "C1"} | (channel or {})))
    told = Asker(**({"user": "U1", "channel": "C1", "team": TEAM} | (asker or {})))
    return Guard(TEAM, Directory(who, where)).refusal(told)


def test_a_member_in_a_channel_is_let_through() -> None:
    assert refusal() is None
    assert refusal({"team": ""}) is None
    assert refusal(person={"teams": ("T0OTHER", TEAM)}) is None


@pytest.mark.parametrize(
    ("asker", "reason"),
    [
        ({"channel": "D1"}, Reason.DIRECT_MESSAGE),
        ({"channel_name": "directmessage"}, Reason.DIRECT_MESSAGE),
        ({"channel_name": "mpdm-a--b-1"}, Reason.DIRECT_MESSAGE),
        ({"is_external": True}, Reason.SHARED_CHANNEL),
        ({"is_bot": True}, Reason.BOT),
        ({"user": ""}, Reason.BOT),
        ({"team": "T0OTHER"}, Reason.OTHER_TEAM),
    ],
)
def test_the_payload_alone_is_enough_to_refuse(asker: dict[str, Any], reason: Reason) -> None:
    nobody = AssertionError("nothing is looked up")
    assert refusal(asker, nobody, nobody) == Refused(reason)


@pytest.mark.parametrize(
    ("person", "reason"),
    [
        ({"is_guest": True}, Reason.GUEST),
        ({"is_stranger": True}, Reason.OTHER_TEAM),
        ({"teams": ("T0OTHER",)}, Reason.OTHER_TEAM),
        ({"teams": ()}, Reason.OTHER_TEAM),
        ({"deleted": True}, Reason.DEACTIVATED),
        ({"is_bot": True}, Reason.BOT),
        (LookupFailed("ratelimited"), Reason.LOOKUP_FAILED),
    ],
)
def test_who_may_not_ask(person: dict[str, Any] | Exception, reason: Reason) -> None:
    found = refusal(person=person)
    assert found is not None
    assert found.reason is reason


@pytest.mark.parametrize(
    ("channel", "reason"),
    [
        ({"is_external": True}, Reason.SHARED_CHANNEL),
        ({"is_direct": True}, Reason.DIRECT_MESSAGE),
        (ChannelNotVisible("channel_not_found"), Reason.NOT_IN_CHANNEL),
        (LookupFailed("TimeoutError"), Reason.LOOKUP_FAILED),
    ],
)
def test_where_nobody_may_ask(channel: dict[str, Any] | Exception, reason: Reason) -> None:
    found = refusal(channel=channel)
    assert found is not None
    assert found.reason is reason


def test_a_failed_lookup_says_what_slack_said() -> None:
    assert refusal(person=LookupFailed("ratelimited")) == Refused(Reason.LOOKUP_FAILED, {"error": "ratelimited"})
