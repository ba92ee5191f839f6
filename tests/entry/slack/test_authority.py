"""Axes: named by id or by group, kind of account, front, what Slack does not say, who else may."""

from __future__ import annotations

from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.app.ports.people import Channel, LookupFailed, Person
from bot.entry.slack.authority import SlackAuthority
from bot.remedy.plan import BOT, Actor

TEAM = "T0TEAM"


class Directory:
    """People and groups as they are told, or an error instead."""

    def __init__(self, groups: dict[str, frozenset[str] | Exception], **flags: Any) -> None:
        self._groups = groups
        self._flags = flags
        self.fails: Exception | None = None

    def person(self, user: str) -> Person:
        if self.fails:
            raise self.fails
        return Person(**({"id": user, "teams": (TEAM,)} | self._flags))

    def channel(self, channel: str) -> Channel:
        raise AssertionError("no channel is asked for")

    def members(self, group: str) -> frozenset[str]:
        found = self._groups[group]
        if isinstance(found, Exception):
            raise found
        return found

    def forget(self, group: str) -> None:
        raise AssertionError("no group has changed")


def authority(directory: Directory, *users: str, groups: tuple[str, ...] = ()) -> SlackAuthority:
    return SlackAuthority(TEAM, directory, directory, users=users, approver_groups=groups)


def slack(user: str, team: str = TEAM) -> Actor:
    return Actor(f"slack:{team}/{user}")


def test_named_by_id_or_by_a_group() -> None:
    directory = Directory({"S1": frozenset({"U2"})})
    asked = authority(directory, "U1", groups=("S1",))
    assert asked.may(slack("U1")).may
    assert asked.may(slack("U2")).may
    assert asked.may(slack("U3")).why == "approver-not-listed"


def test_without_approvers_nobody_may() -> None:
    assert not authority(Directory({})).may(slack("U1")).may


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        ({"is_guest": True}, "approver-guest"),
        ({"is_bot": True}, "approver-bot"),
        ({"deleted": True}, "approver-deactivated"),
        ({"teams": ("T0OTHER",)}, "approver-other-team"),
        ({"is_stranger": True}, "approver-other-team"),
    ],
)
def test_a_list_makes_nobody_a_member(flags: dict[str, Any], why: str) -> None:
    found = authority(Directory({}, **flags), "U1").may(slack("U1"))
    assert (found.may, found.why) == (False, why)


@pytest.mark.parametrize(
    "actor", [BOT, Actor("k8s:jane"), slack("U1", "T0OTHER"), Actor(f"slack:{TEAM}/"), Actor("U1")]
)
def test_another_front_has_no_say_here(actor: Actor) -> None:
    assert authority(Directory({}), "U1", "").may(actor).why == "approver-other-front"


def test_what_slack_does_not_say_is_a_no_with_its_reason() -> None:
    directory = Directory({"S1": LookupFailed("ratelimited")})
    assert authority(directory, groups=("S1",)).may(slack("U1")).why == "approver-lookup-failed ratelimited"
    directory.fails = LookupFailed("timeout")
    assert authority(directory, "U1").may(slack("U1")).why == "approver-lookup-failed timeout"


def test_who_else_may_is_told_as_far_as_it_is_known() -> None:
    directory = Directory({"S1": frozenset({"U2", "U3"}), "S2": LookupFailed("ratelimited")})
    with capture_logs() as logged:
        others = authority(directory, "U1", groups=("S1", "S2")).others(slack("U1"))
    assert others == (slack("U2"), slack("U3"))
    assert [(one["event"], one["group"], one["why"]) for one in logged] == [
        ("approver_group_unknown", "S2", "ratelimited")
    ]


def test_who_a_person_is_is_told_by_the_address_and_of_that_a_fingerprint_is_kept() -> None:
    one = authority(Directory({}, email="a@example.com", enterprise="W1"), "U1").may(slack("U1")).identity
    other = authority(Directory({}, email="a@example.com", enterprise="W2")).may(slack("U2")).identity
    assert one.names[0] == other.names[0]
    assert one.names[1] != other.names[1]
    assert (one.unknown, other.unknown) == ("", "")
    assert "example" not in str(one)


def test_without_an_address_nobody_knows_who_it_is() -> None:
    assert authority(Directory({}, enterprise="W1"), "U1").may(slack("U1")).identity.unknown == "approver-no-email"
    silent = Directory({})
    silent.fails = LookupFailed("timeout")
    assert authority(silent).may(slack("U1")).identity.unknown == "approver-lookup-failed timeout"
    assert authority(silent).may(Actor("U1")).identity.unknown == "approver-other-front"
