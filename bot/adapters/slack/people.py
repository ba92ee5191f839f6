"""Looks people and channels up by `users.info` and `conversations.info`, and remembers them for less than a minute."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, Generic, TypeVar

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.app.ports.people import Channel, ChannelNotVisible, LookupFailed, Person

#: Slack's own account is not marked as a bot.
_SLACKBOT = "USLACKBOT"
T = TypeVar("T")


class SlackPeople:
    """Implements `bot.app.ports.people.People`. Failures are not remembered: the next request asks again."""

    def __init__(
        self, client: WebClient, *, remember: float = 60, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        """Take the client that asks.

        Args:
            client: one with a short time-out, since an acknowledgement waits for it.
            remember: seconds for which an answer is good.
            monotonic: seconds that never go back.
        """
        self._client = client
        self._people: Recent[Person] = Recent(remember, monotonic)
        self._channels: Recent[Channel] = Recent(remember, monotonic)

    def person(self, user: str) -> Person:
        """See `People.person`."""
        return self._people.get(user, lambda: _person(self._ask("users.info", {"user": user}).get("user") or {}, user))

    def channel(self, channel: str) -> Channel:
        """See `People.channel`."""
        return self._channels.get(
            channel,
            lambda: _channel(self._ask("conversations.info", {"channel": channel}).get("channel") or {}, channel),
        )

    def forget_channel(self, channel: str) -> None:
        """Ask anew the next time: the channel has changed."""
        self._channels.forget(channel)

    def _ask(self, method: str, params: dict[str, str]) -> Mapping[str, Any]:
        try:
            answer = self._client.api_call(method, params=params)
        except SlackApiError as why:
            error = str(why.response.get("error") or why.response.status_code)
            if error == "channel_not_found":
                raise ChannelNotVisible(error) from None
            raise LookupFailed(error) from None
        # What urllib raises for a broken connection or a time-out, and the SDK for an unreadable answer.
        except (OSError, SlackClientError) as why:
            raise LookupFailed(type(why).__name__) from why
        return answer.data if isinstance(answer.data, dict) else {}


class Recent(Generic[T]):
    """Answers that are still good, at most a thousand of them."""

    _most = 1000

    def __init__(self, seconds: float, monotonic: Callable[[], float]) -> None:
        self._seconds = seconds
        self._monotonic = monotonic
        self._lock = Lock()
        self._known: dict[str, tuple[float, T]] = {}
        self._forgotten = 0

    def get(self, key: str, ask: Callable[[], T]) -> T:
        """What is remembered of the key, otherwise what `ask` answers; what it raises is not remembered."""
        asked = self._monotonic()
        with self._lock:
            entry, forgotten = self._known.get(key), self._forgotten
        if entry is not None and asked < entry[0]:
            return entry[1]
        answer = ask()
        with self._lock:
            if forgotten != self._forgotten:
                # Asked before something changed: good for this once.
                return answer
            if len(self._known) >= self._most:
                self._known.clear()
            self._known[key] = (asked + self._seconds, answer)
        return answer

    def forget(self, key: str) -> None:
        """Ask anew the next time, also where an answer is on its way."""
        with self._lock:
            self._forgotten += 1
            self._known.pop(key, None)


def _person(user: Mapping[str, Any], asked: str) -> Person:
    if user.get("id") != asked:
        raise LookupFailed("unexpected_answer")
    grid = user.get("enterprise_user") or {}
    teams = [user.get("team_id"), *(grid.get("teams") or ())]
    profile = user.get("profile") or {}
    return Person(
        id=asked,
        teams=tuple(team for team in teams if isinstance(team, str)),
        deleted=bool(user.get("deleted")),
        is_bot=bool(user.get("is_bot")) or asked == _SLACKBOT,
        is_guest=bool(user.get("is_restricted") or user.get("is_ultra_restricted")),
        is_stranger=bool(user.get("is_stranger")),
        email=str(profile.get("email") or "").strip().casefold(),
        enterprise=str(grid.get("id") or ""),
    )


def _channel(channel: Mapping[str, Any], asked: str) -> Channel:
    if channel.get("id") != asked:
        raise LookupFailed("unexpected_answer")
    shared_outside = channel.get("is_shared") and not channel.get("is_org_shared")
    return Channel(
        id=asked,
        is_direct=bool(channel.get("is_im") or channel.get("is_mpim")),
        is_external=bool(channel.get("is_ext_shared") or channel.get("is_pending_ext_shared") or shared_outside),
        is_member=bool(channel.get("is_member")),
    )
