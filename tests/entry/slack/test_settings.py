"""Axes: a channel with settings of its own or none, an alert app with one id, both, or none."""

import pytest

from bot.entry.slack.settings import AlertApp, AlertSource, Channel, SlackSettings

SETTINGS = SlackSettings(
    cluster="lab",
    channels=(
        Channel(id="C01", source=AlertSource.ALERTMANAGER, language="ko"),
        Channel(id="C02", source=AlertSource.APP),
    ),
    alert_apps=tuple(AlertApp(app_id="A0X", channel=channel) for channel in ("C01", "C02", "C03")),
)


@pytest.mark.parametrize(("channel", "lang"), [("C01", "ko"), ("C02", "en"), ("C03", "en")])
def test_a_channel_speaks_its_own_language_or_the_general_one(channel: str, lang: str) -> None:
    assert SETTINGS.lang_of(channel) == lang


@pytest.mark.parametrize(("channel", "apps"), [("C01", 0), ("C02", 1), ("C03", 0)])
def test_the_messages_of_apps_are_alerts_only_where_apps_are_the_source(channel: str, apps: int) -> None:
    assert len(SETTINGS.apps_of(channel)) == apps


def test_a_channel_that_is_not_configured_has_no_alerts() -> None:
    assert SETTINGS.source_of("C03") is None


def test_an_alert_app_needs_an_id() -> None:
    with pytest.raises(ValueError, match="needs app_id or bot_id"):
        AlertApp(channel="C02")


@pytest.mark.parametrize(
    ("app", "ids", "wrote"),
    [
        (AlertApp(app_id="A01", channel="C02"), ("A01", "B09"), True),
        (AlertApp(bot_id="B01", channel="C02"), ("", "B01"), True),
        (AlertApp(app_id="A01", bot_id="B01", channel="C02"), ("A01", "B01"), True),
        (AlertApp(app_id="A01", bot_id="B01", channel="C02"), ("A01", "B09"), False),
        (AlertApp(app_id="A01", channel="C02"), ("", "B01"), False),
        (AlertApp(bot_id="B01", channel="C02"), ("A01", ""), False),
    ],
)
def test_every_id_that_is_given_must_be_equal(app: AlertApp, ids: tuple[str, str], wrote: bool) -> None:
    assert app.wrote(*ids) is wrote
