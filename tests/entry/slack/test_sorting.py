"""Axes: who wrote (person, alert app, other app, we), where (root, thread), mentioned or not, edited or new."""

from typing import Any

import pytest

from bot.entry.slack.payloads import event_of
from bot.entry.slack.settings import AlertApp, AlertSource, Channel, SlackSettings
from bot.entry.slack.sorting import Addressed, Alerted, Identity, Nothing, Replied, Sorted, Unlisted, sort
from bot.model.incident import Place
from tests.support.slack_payloads import alert, mention, message

ME = Identity(team_id="T0TEAM", user_id="U0BOT", bot_id="B0BOT")
SETTINGS = SlackSettings(
    cluster="lab",
    channels=(
        Channel(id="C0ALERTS", source=AlertSource.APP),
        Channel(id="C0BOTH", source=AlertSource.APP),
        Channel(id="C0HOOK", source=AlertSource.ALERTMANAGER),
        Channel(id="C0GRID", source=AlertSource.APP),
    ),
    alert_apps=(
        AlertApp(app_id="A0ALERTS", channel="C0ALERTS"),
        AlertApp(app_id="A0ALERTS", bot_id="B0ALERTS", channel="C0BOTH"),
        AlertApp(app_id="A0ALERTS", channel="C0HOOK"),
        AlertApp(bot_id="B0ALERTS", team="T0OTHER", channel="C0GRID"),
        AlertApp(app_id="A0ALERTS", channel="C0NONE"),
    ),
)


def sorted_(body: dict[str, Any]) -> Sorted:
    return sort(event_of(body), ME, SETTINGS)


def test_the_message_of_an_allowed_app_is_an_alert_in_its_own_thread() -> None:
    attachment = {"title": "FIRING", "text": "node omen2 &lt;down&gt;"}
    assert sorted_(alert("", ts="5.1", attachments=[attachment])) == Alerted(
        "FIRING\nnode omen2 <down>", Place("C0ALERTS", "5.1")
    )


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"subtype": None, "user": "U0ALERTBOT"},
        {"app_id": None, "bot_profile": {"id": "B0ALERTS", "app_id": "A0ALERTS", "name": "any"}},
        {"channel": "C0BOTH"},
        {"thread_ts": "5.1"},
        {"team": None},
        {"channel": "C0GRID", "team": "T0OTHER", "app_id": None},
    ],
    ids=[
        "webhook",
        "bot user",
        "app id in the profile",
        "both ids",
        "root of its thread",
        "no team on the message",
        "team of its own",
    ],
)
def test_the_ids_decide(fields: dict[str, Any]) -> None:
    assert isinstance(sorted_(alert("FIRING", ts="5.1", **fields)), Alerted)


@pytest.mark.parametrize(
    "fields",
    [
        {"app_id": "A0OTHER"},
        {"app_id": None},
        {"app_id": "A0OTHER", "username": "Alertmanager", "bot_profile": {"app_id": "A0OTHER", "name": "Alertmanager"}},
        {"channel": "C0BOTH", "bot_id": "B0OTHER"},
        {"channel": "C0BOTH", "app_id": "A0OTHER"},
        {"channel": "C0OTHER"},
        {"channel": "C0HOOK"},
        {"channel": "C0NONE"},
        {"channel": "C0GRID"},
        {"team_id": "T0OTHER"},
        {"team": "T0OTHER"},
        {"user_team": "T0OTHER"},
        {"is_ext_shared_channel": True},
        {"thread_ts": "4.9"},
        {"bot_id": None, "subtype": None, "user": "U0ONCALL"},
        {"subtype": "message_changed", "message": {"text": "FIRING"}},
    ],
    ids=[
        "other app",
        "no app id",
        "name of the alert app",
        "app right, bot wrong",
        "bot right, app wrong",
        "other channel",
        "channel of the webhook",
        "channel without source",
        "not from the app's own team",
        "other team",
        "message of another team",
        "user of another team",
        "shared channel",
        "reply in a thread",
        "a person with the app's id",
        "edit",
    ],
)
def test_all_else_is_no_alert(fields: dict[str, Any]) -> None:
    assert not isinstance(sorted_(alert("FIRING", **fields)), Alerted)


def test_an_app_that_is_not_listed_is_told_by_its_ids_where_apps_are_the_source() -> None:
    assert sorted_(alert("FIRING", app_id="A0OTHER")) == Unlisted("C0ALERTS", "A0OTHER", "B0ALERTS")
    assert sorted_(alert("FIRING", channel="C0HOOK")) == Nothing()
    assert sorted_(message("FIRING")) == Nothing()


def test_what_people_say_among_themselves_is_nothing() -> None:
    assert sorted_(message("[FIRING] node omen2 down")) == Nothing()
    assert sorted_(message("ask <@U0OTHER>")) == Nothing()
    assert sorted_(message("look", files=[{"name": "a.log"}], subtype="file_share")) == Nothing()


@pytest.mark.parametrize(
    "fields",
    [
        {"subtype": "message_changed"},
        {"subtype": "message_deleted", "hidden": True},
        {"subtype": "channel_join"},
        {"hidden": True},
        {"user": "U0BOT"},
        {"bot_id": "B0BOT"},
    ],
)
def test_edits_deletions_and_our_own_words_are_nothing(fields: dict[str, Any]) -> None:
    assert sorted_(message("<@U0BOT> node omen2", thread_ts="1.0", **fields)) == Nothing()


@pytest.mark.parametrize("make", [mention, lambda text, **fields: message(f"<@U0BOT> {text}", **fields)])
def test_a_mention_is_the_same_in_both_of_its_events(make: Any) -> None:
    assert sorted_(make("node omen2", ts="7.1")) == Addressed("node omen2", Place("C0ALERTS", "7.1"), (), False)
    assert sorted_(make("node omen2", ts="7.1", thread_ts="7.0")) == Addressed(
        "node omen2", Place("C0ALERTS", "7.0"), (), True
    )


@pytest.mark.parametrize(
    "text", ["hey <@U0BOT|autopsy>: node omen2", "hey <@U0BOT>, node omen2", "hey node omen2 <@U0BOT>"]
)
def test_the_mention_itself_is_no_word(text: str) -> None:
    found = sorted_(message(text))
    assert isinstance(found, Addressed)
    assert "U0BOT" not in found.words


def test_a_reply_keeps_its_text_as_people_see_it() -> None:
    body = message("```\nE0710 a &lt;b&gt;\n```", thread_ts="1.0", subtype="thread_broadcast")
    found = sorted_(body)
    assert found == Replied("E0710 a <b>", Place("C0ALERTS", "1.0"), ())


def test_the_reply_of_another_bot_is_nothing() -> None:
    assert sorted_(alert("resolved", thread_ts="1.0")) == Nothing()
