"""Looks up who is in a user group, by `usergroups.users.list` (scope `usergroups:read`)."""

from __future__ import annotations

import time
from collections.abc import Callable

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.adapters.slack.people import Recent
from bot.app.ports.people import LookupFailed


class SlackGroups:
    """Implements `bot.app.ports.people.Groups`. Failures are not remembered: the next question asks again."""

    def __init__(
        self, client: WebClient, *, remember: float = 30, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        """Take the client that asks.

        Args:
            client: one with a short time-out.
            remember: seconds for which an answer is good; who was removed may approve no longer than that.
            monotonic: seconds that never go back.
        """
        self._client = client
        self._groups: Recent[frozenset[str]] = Recent(remember, monotonic)

    def members(self, group: str) -> frozenset[str]:
        """See `Groups.members`. A group that is disabled has no members."""
        return self._groups.get(group, lambda: self._ask(group))

    def forget(self, group: str) -> None:
        """See `Groups.forget`."""
        self._groups.forget(group)

    def _ask(self, group: str) -> frozenset[str]:
        try:
            answer = self._client.api_call("usergroups.users.list", params={"usergroup": group})
        except SlackApiError as why:
            raise LookupFailed(str(why.response.get("error") or why.response.status_code)) from None
        except (OSError, SlackClientError) as why:
            raise LookupFailed(type(why).__name__) from why
        users = answer.get("users")
        if not isinstance(users, list):
            raise LookupFailed("unexpected_answer")
        return frozenset(str(one) for one in users)
