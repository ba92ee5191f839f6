"""Says nothing where people of other organisations read, or are invited: every post asks before who is in the channel.

Where Slack does not say, its last answer counts, however old: a channel is shared once in a long time, by an admin, and
a look-up fails for seconds, perhaps at three in the morning. Without an earlier answer, or once Slack has told that the
channel changed, nothing is posted: the post has failed, as if Slack had not taken it, and comes again as such.
"""

from __future__ import annotations

import structlog

from bot.adapters.slack.people import SlackPeople
from bot.adapters.slack.poster import SlackPoster
from bot.app.ports import NotInChannel, PostFailed, SharedOutside
from bot.app.ports.people import ChannelNotVisible, LookupFailed
from bot.model.incident import Place
from bot.model.message import Document, Message

_log = structlog.get_logger(__name__)


class InsidePoster:
    """Implements `bot.app.ports.Poster`.

    Args:
        poster: puts messages into Slack.
        people: tells who reads a channel.
    """

    def __init__(self, poster: SlackPoster, people: SlackPeople) -> None:
        self._poster = poster
        self._people = people
        self._last: dict[str, bool] = {}

    def post(self, place: Place, message: Message) -> str:
        """See `Poster.post`."""
        self._check(place.channel)
        return self._poster.post(place, message)

    def edit(self, place: Place, ts: str, message: Message) -> None:
        """See `Poster.edit`."""
        self._check(place.channel)
        self._poster.edit(place, ts, message)

    def upload(self, place: Place, document: Document, message: Message) -> None:
        """See `Poster.upload`."""
        self._check(place.channel)
        self._poster.upload(place, document, message)

    def respond(self, response_url: str, message: Message) -> None:
        """See `Poster.respond`. Nobody but who asked sees it, wherever that was."""
        self._poster.respond(response_url, message)

    def is_shared(self, channel: str) -> bool:
        """See `Poster.is_shared`."""
        try:
            return self._ask(channel)
        except (NotInChannel, PostFailed):
            return False

    def forget(self, channel: str) -> None:
        """The channel has changed: what was known of it counts no more."""
        self._people.forget_channel(channel)
        self._last.pop(channel, None)

    def _check(self, channel: str) -> None:
        if self._ask(channel):
            raise SharedOutside("is_ext_shared")

    def _ask(self, channel: str) -> bool:
        try:
            told = self._people.channel(channel).is_external
        except ChannelNotVisible as why:
            raise NotInChannel(str(why)) from None
        except LookupFailed as why:
            if channel not in self._last:
                raise PostFailed(f"conversations.info: {why}") from None
            _log.warning("slack_channel_unknown", channel=channel, why=str(why), shared=self._last[channel])
            return self._last[channel]
        if told and not self._last.get(channel):
            _log.error("slack_channel_shared", channel=channel)
        self._last[channel] = told
        return told
