"""What the ear must be told: the workspace, its channels, and whose messages there are alerts."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, Self

import msgspec
from pydantic import BaseModel, ConfigDict, Field, model_validator

#: Slack's ids are upper-case letters and digits after one letter that tells the kind.
_CHANNEL = r"^[CG][A-Z0-9]{2,}$"
_APP = r"^(A[A-Z0-9]{2,})?$"
_BOT = r"^(B[A-Z0-9]{2,})?$"
#: The id of a workspace, or nothing.
TEAM = r"^(T[A-Z0-9]{2,})?$"
#: What a channel is called in the webhook's address.
_NAME = r"^([a-z0-9][a-z0-9._-]*)?$"

Language = Literal["en", "ko"]


class AlertSource(StrEnum):
    """Where a channel's alerts come from. A channel has one, so that one alert is one thread."""

    APP = "app"
    ALERTMANAGER = "alertmanager"


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Channel(_Table):
    """A channel that alerts come to."""

    id: str = Field(pattern=_CHANNEL, description="The channel's id, as Slack shows it under its details.")
    name: str = Field("", pattern=_NAME, description="What it is called in the webhook's address, beside its id.")
    source: AlertSource = Field(description="Where its alerts come from: `app` or `alertmanager`.")
    language: Language | None = Field(None, description="The language of its answers, if not the general one.")


class AlertApp(_Table):
    """A Slack app whose messages are alerts, in one channel. Apps are told apart by id, since names can be forged."""

    app_id: str = Field("", pattern=_APP, description="The app's id; this or `bot_id` must be there.")
    bot_id: str = Field("", pattern=_BOT, description="The id of the app's bot, where messages carry no app id.")
    team: str = Field("", pattern=TEAM, description="The workspace that the app is of, where it is not the bot's own.")
    channel: str = Field(pattern=_CHANNEL, description="The id of the channel; its source must be `app`.")

    @model_validator(mode="after")
    def _named(self) -> Self:
        if not (self.app_id or self.bot_id):
            raise ValueError("needs app_id or bot_id")
        return self

    def wrote(self, app_id: str, bot_id: str) -> bool:
        """Whether a message with these ids is its: every id that is given must be equal."""
        return all(mine in ("", theirs) for mine, theirs in ((self.app_id, app_id), (self.bot_id, bot_id)))


class SlackSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the ear is told from outside.

    Attributes:
        cluster: the name that stands on every message.
        team_id: the workspace whose people may ask; empty: the one that the bot token belongs to.
        channels: the channels that alerts come to; questions may come from any channel of the workspace.
        alert_apps: the apps whose messages are alerts; they count only where the channel's source is `app`.
        lang: the language where a channel has none of its own.
        file_limit: bytes of a dropped file that are read.
        ping_interval: seconds; a silent server is left after about four of them.
        edit_interval: seconds between two edits of one message, of which Slack takes about one a second.
    """

    cluster: str
    team_id: str = ""
    channels: tuple[Channel, ...] = ()
    alert_apps: tuple[AlertApp, ...] = ()
    lang: str = "en"
    file_limit: int = 1_000_000
    ping_interval: float = 2
    edit_interval: float = 1.5

    def source_of(self, channel: str) -> AlertSource | None:
        """Where this channel's alerts come from; None where none come."""
        return next((one.source for one in self.channels if one.id == channel), None)

    def apps_of(self, channel: str) -> tuple[AlertApp, ...]:
        """The apps whose messages in this channel are alerts."""
        if self.source_of(channel) is not AlertSource.APP:
            return ()
        return tuple(one for one in self.alert_apps if one.channel == channel)

    def lang_of(self, channel: str) -> str:
        """The language of what is said in this channel."""
        return next((one.language for one in self.channels if one.id == channel and one.language), self.lang)
