"""Whether this person may ask here. Where Slack does not say who it is, the answer is no, with that reason."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from bot.app.ports.people import Channel, ChannelNotVisible, LookupFailed, People, Person


class Reason(StrEnum):
    """Why a request is refused; the value is a key of the catalogue."""

    DIRECT_MESSAGE = "refused-direct-message"
    SHARED_CHANNEL = "refused-shared-channel"
    NOT_IN_CHANNEL = "refused-not-in-channel"
    OTHER_TEAM = "refused-other-team"
    GUEST = "refused-guest"
    BOT = "refused-bot"
    DEACTIVATED = "refused-deactivated"
    LOOKUP_FAILED = "refused-lookup-failed"
    CAME_AGAIN = "refused-came-again"
    BUTTON_TAMPERED = "refused-button-tampered"
    BUTTON_OTHER_APP = "refused-button-other-app"
    BUTTON_OTHER_CLUSTER = "refused-button-other-cluster"


class Refused(msgspec.Struct, frozen=True):
    """A refusal; `values` fill the blanks of its words."""

    reason: Reason
    values: Mapping[str, str] = {}


class Asker(msgspec.Struct, frozen=True, kw_only=True):
    """What a payload says of who asks: `team` is empty where it does not say, `user` where a bot has none."""

    user: str
    channel: str
    team: str = ""
    channel_name: str = ""
    is_external: bool = False
    is_bot: bool = False


class Guard:
    """Knows the workspace, and asks Slack about people and channels."""

    def __init__(self, team_id: str, people: People) -> None:
        self._team = team_id
        self._people = people

    def refusal(self, asker: Asker) -> Refused | None:
        """Why this asker is refused, None if not. The payload's own word is enough to refuse, never to allow."""
        told = self._told(asker)
        if told is not None:
            return Refused(told)
        try:
            reason = of_channel(self._people.channel(asker.channel))
            reason = reason or of_person(self._people.person(asker.user), self._team)
        except ChannelNotVisible:
            return Refused(Reason.NOT_IN_CHANNEL)
        except LookupFailed as why:
            return Refused(Reason.LOOKUP_FAILED, {"error": str(why)})
        return Refused(reason) if reason else None

    def _told(self, asker: Asker) -> Reason | None:
        if asker.channel.startswith("D") or asker.channel_name == "directmessage":
            return Reason.DIRECT_MESSAGE
        if asker.channel_name.startswith("mpdm-"):
            return Reason.DIRECT_MESSAGE
        if asker.is_external:
            return Reason.SHARED_CHANNEL
        if asker.is_bot or not asker.user:
            return Reason.BOT
        if asker.team and asker.team != self._team:
            return Reason.OTHER_TEAM
        return None


def of_channel(channel: Channel) -> Reason | None:
    """Why nobody may ask in this channel."""
    if channel.is_direct:
        return Reason.DIRECT_MESSAGE
    return Reason.SHARED_CHANNEL if channel.is_external else None


def of_person(person: Person, team: str) -> Reason | None:
    """Why this person may not ask."""
    rules = (
        (Reason.DEACTIVATED, person.deleted),
        (Reason.BOT, person.is_bot),
        (Reason.OTHER_TEAM, person.is_stranger or team not in person.teams),
        (Reason.GUEST, person.is_guest),
    )
    return next((reason for reason, holds in rules if holds), None)
