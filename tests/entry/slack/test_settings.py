"""Axes: a channel with settings of its own or none, an alert app with one id, both, or none."""

import pytest

from bot.entry.slack.settings import AlertApp, AlertSource, ChannelSettings, SlackSettings

SETTINGS = SlackSettings(
    cluster="lab", channels=(ChannelSettings(id="C1", lang="ko"), ChannelSettings(id="C2", source=AlertSource.APP))
)


@pytest.mark.parametrize(("channel", "lang"), [("C1", "ko"), ("C2", "en"), ("C3", "en")])
def test_a_channel_speaks_its_own_language_or_the_general_one(channel: str, lang: str) -> None:
    assert SETTINGS.lang_of(channel) == lang


def test_a_channel_that_is_not_configured_has_no_alerts() -> None:
    assert SETTINGS.channel("C3").source is AlertSource.NONE


def test_an_alert_app_needs_an_id() -> None:
    with pytest.raises(ValueError, match="app_id or its bot_id"):
        AlertApp()


@pytest.mark.parametrize(
    ("app", "ids", "wrote"),
    [
        (AlertApp(app_id="A1"), ("A1", "B9"), True),
        (AlertApp(bot_id="B1"), ("", "B1"), True),
        (AlertApp(app_id="A1", bot_id="B1"), ("A1", "B1"), True),
        (AlertApp(app_id="A1", bot_id="B1"), ("A1", "B9"), False),
        (AlertApp(app_id="A1"), ("", "B1"), False),
        (AlertApp(bot_id="B1"), ("A1", ""), False),
    ],
)
def test_every_id_that_is_given_must_be_equal(app: AlertApp, ids: tuple[str, str], wrote: bool) -> None:
    assert app.wrote(*ids) is wrote
