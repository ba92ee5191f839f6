"""Channels that become shared with another organisation, or are no longer: noted and told, as the bot is silent there.

What keeps it silent is asked before every post (`adapters.slack.inside`); this makes it ask at once, and warns people.
"""

from __future__ import annotations

from collections.abc import Callable

from bot.app.ports import Clock, Queue
from bot.app.ports.people import ChannelNotVisible, LookupFailed, People
from bot.app.requests import Notice
from bot.entry.slack.payloads import SharingChanged
from bot.entry.slack.settings import SlackSettings
from bot.model.incident import Place


class SharedChannels:
    """Takes what Slack says of shared channels, and drops what is of no channel where the bot speaks.

    Args:
        settings: the channels that alerts come to.
        team: the workspace's id.
        people: tells whether the bot is in a channel.
        forget: makes this process ask anew who reads a channel. Others ask within half a minute in any case.
        queue: takes the notice.
        clock: decision time.
    """

    def __init__(
        self,
        *,
        settings: SlackSettings,
        team: str,
        people: People,
        forget: Callable[[str], None],
        queue: Queue,
        clock: Clock,
    ) -> None:
        self._channels = tuple(one.id for one in settings.channels)
        self._team = team
        self._people = people
        self._forget = forget
        self._queue = queue
        self._clock = clock

    def changed(self, told: SharingChanged) -> None:
        """One came or went. While others are still there nothing is different."""
        change = told.event
        if told.team_id != self._team:
            return
        self._forget(change.channel)
        is_over = change.type == "channel_unshared"
        if (is_over and change.is_ext_shared) or not self._speaks_in(change.channel):
            return
        kind = change.type.replace("_", "-")
        elsewhere = next((one for one in self._channels if one != change.channel), "")
        team = change.previously_connected_team_id if is_over else change.connected_team_id
        notice = Notice(
            id=f"sharing:{told.event_id}",
            entry=kind,
            reason=kind,
            values={"channel": change.channel, "team": team or "-"},
            at=self._clock.now(),
            place=Place(elsewhere),
            again=change.channel if is_over else "",
        )
        self._queue.enqueue(notice, dedupe=(f"event:{told.event_id}",))

    def _speaks_in(self, channel: str) -> bool:
        """Whether the bot is in the channel; where Slack does not say, people are rather told in vain."""
        try:
            return channel in self._channels or self._people.channel(channel).is_member
        except ChannelNotVisible:
            return False
        except LookupFailed:
            return True
