"""What the ear must be told: the workspace, its channels, and whose messages there are alerts."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class AlertSource(StrEnum):
    """Where a channel's alerts come from. A channel has one, so that one alert is one thread."""

    NONE = "none"
    APP = "app"
    ALERTMANAGER = "alertmanager"


class AlertApp(msgspec.Struct, frozen=True, kw_only=True):
    """An app whose messages are alerts. Names and pictures are free text for every app, so only ids count.

    `team` is the workspace that the app is installed in; empty: the bot's own.

    Raises:
        ValueError: neither id is given.
    """

    app_id: str = ""
    bot_id: str = ""
    team: str = ""

    def __post_init__(self) -> None:
        if not (self.app_id or self.bot_id):
            raise ValueError("an alert app needs its app_id or its bot_id")

    def wrote(self, app_id: str, bot_id: str) -> bool:
        """Whether a message with these ids is its: every id that is given must be equal."""
        return all(mine in ("", theirs) for mine, theirs in ((self.app_id, app_id), (self.bot_id, bot_id)))


class ChannelSettings(msgspec.Struct, frozen=True, kw_only=True):
    """A channel that alerts come to; `alert_apps` count only where the source is `app`."""

    id: str
    source: AlertSource = AlertSource.NONE
    alert_apps: tuple[AlertApp, ...] = ()
    lang: str = ""


class SlackSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the ear is told from outside.

    Attributes:
        cluster: the name that stands on every message.
        team_id: the workspace whose people may ask; empty: the one that the bot token belongs to.
        channels: the channels that alerts come to; questions may come from any channel of the workspace.
        lang: the language where a channel has none of its own.
        file_limit: bytes of a dropped file that are read.
        ping_interval: seconds; a silent server is left after about four of them.
        edit_interval: seconds between two edits of one message, of which Slack takes about one a second.
    """

    cluster: str
    team_id: str = ""
    channels: tuple[ChannelSettings, ...] = ()
    lang: str = "en"
    file_limit: int = 1_000_000
    ping_interval: float = 2
    edit_interval: float = 1.5

    def channel(self, channel: str) -> ChannelSettings:
        """The settings of this channel; of one that is not configured, the general ones."""
        for one in self.channels:
            if one.id == channel:
                return one
        return ChannelSettings(id=channel)

    def lang_of(self, channel: str) -> str:
        """The language of what is said in this channel."""
        return self.channel(channel).lang or self.lang
