"""Manifest, documentation and listeners say the same, and the scopes are enough for all that is done."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.adapters.slack.client import lookup_client, web_client
from bot.adapters.slack.files import SlackFiles
from bot.adapters.slack.groups import SlackGroups
from bot.adapters.slack.people import SlackPeople
from bot.adapters.slack.poster import SlackPoster
from bot.app.ports import PostFailed
from bot.app.ports.people import FileUnreadable, LookupFailed
from bot.entry.slack.app import COMMAND, EVENTS, SHORTCUT
from bot.model.incident import Place
from bot.model.message import Document, Message
from tests.support.slack_server import BOT_TOKEN, SlackServer

ROOT = Path(__file__).parents[2]
MANIFEST: dict[str, Any] = yaml.safe_load((ROOT / "deploy/slack/manifest.yaml").read_text())
DOCS = (ROOT / "docs/slack.md").read_text()
SCOPES: list[str] = MANIFEST["oauth_config"]["scopes"]["bot"]
SUBSCRIBED: list[str] = MANIFEST["settings"]["event_subscriptions"]["bot_events"]
ROWS = dict(re.findall(r"^\| `([a-z_]+(?:[:.][a-z_]+)*)` \| (.+?) \|$", DOCS, re.MULTILINE))


@pytest.mark.parametrize("scope", SCOPES)
def test_every_scope_has_its_sentence(scope: str) -> None:
    assert len(ROWS[scope]) > 20
    assert ROWS[scope].endswith(".")


def test_no_scope_is_explained_that_is_not_asked_for() -> None:
    assert {row for row in ROWS if ":" in row or row == "commands"} == set(SCOPES)


@pytest.mark.parametrize("event", SUBSCRIBED)
def test_every_event_is_explained_and_listened_to(event: str) -> None:
    assert event in ROWS
    assert event.partition(".")[0] in EVENTS


def test_every_listener_has_its_event() -> None:
    assert {event.partition(".")[0] for event in SUBSCRIBED} == set(EVENTS)


def test_command_and_shortcut_are_the_ones_that_are_listened_to() -> None:
    features = MANIFEST["features"]
    assert [(one["command"], one["should_escape"]) for one in features["slash_commands"]] == [(COMMAND, True)]
    assert [(one["type"], one["callback_id"]) for one in features["shortcuts"]] == [("message", SHORTCUT)]
    assert MANIFEST["settings"]["interactivity"]["is_enabled"]


def test_it_is_socket_mode_without_direct_messages() -> None:
    assert MANIFEST["settings"]["socket_mode_enabled"]
    assert not MANIFEST["features"]["app_home"]["messages_tab_enabled"]


#: What each event and feature needs, as its page at https://docs.slack.dev/reference/events says.
NEEDS = {
    "app_mention": "app_mentions:read",
    "channel_shared": "channels:read",
    "channel_unshared": "channels:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "subteam_members_changed": "usergroups:read",
    "subteam_updated": "usergroups:read",
    "commands": "commands",
}


def everything(server: SlackServer) -> None:
    """Every call that the bot makes."""
    poster = SlackPoster(web_client(BOT_TOKEN, server.api_url))
    poster.post(Place("C1"), Message("x"))
    poster.upload(Place("C1"), Document(name="a.md", text="x"), Message("x"))
    people = SlackPeople(lookup_client(BOT_TOKEN, server.api_url))
    if not people.person("U1").email:
        raise LookupFailed("no e-mail address")
    people.channel("C1")
    people.channel("C2")
    SlackGroups(lookup_client(BOT_TOKEN, server.api_url)).members("S1")
    SlackFiles(BOT_TOKEN, server.api_url).read(server.add_file("a.log", b"x")["url_private"], 10)


def workspace(scopes: set[str]) -> SlackServer:
    server = SlackServer(scopes=scopes)
    server.add_user("U1")
    server.add_channel("C1")
    server.groups["S1"] = ["U1"]
    server.add_channel("C2", is_private=True)
    return server


def test_the_scopes_are_enough() -> None:
    with workspace(set(SCOPES)) as server:
        everything(server)
    assert {NEEDS[event] for event in SUBSCRIBED} | {NEEDS["commands"]} <= set(SCOPES)


@pytest.mark.parametrize("scope", SCOPES)
def test_none_of_them_can_be_left_out(scope: str) -> None:
    if scope in NEEDS.values():
        assert scope in {NEEDS[event] for event in [*SUBSCRIBED, "commands"]}
        return
    with workspace(set(SCOPES) - {scope}) as server, pytest.raises((LookupFailed, FileUnreadable, PostFailed)):
        everything(server)
