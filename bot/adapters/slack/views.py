"""Opens forms by `views.open`, within the three seconds that the trigger of a press lives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.app.ports.people import CannotOpen


class SlackViews:
    """Implements `bot.app.ports.people.Views`.

    Args:
        client: one with a short time-out and without repeats: a trigger is used up by its first use.
    """

    def __init__(self, client: WebClient) -> None:
        self._client = client

    def open(self, trigger_id: str, view: Mapping[str, Any]) -> None:
        """See `Views.open`."""
        try:
            self._client.api_call("views.open", json={"trigger_id": trigger_id, "view": dict(view)})
        except SlackApiError as why:
            raise CannotOpen(str(why.response.get("error") or why.response.status_code)) from None
        except (OSError, SlackClientError) as why:
            raise CannotOpen(type(why).__name__) from why
