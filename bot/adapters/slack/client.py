"""Web clients for Slack: their base address, time-outs, and how long they wait when Slack asks them to slow down."""

from __future__ import annotations

import logging
from typing import Any

from slack_sdk import WebClient
from slack_sdk.http_retry import ConnectionErrorRetryHandler, RateLimitErrorRetryHandler
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.http_retry.state import RetryState

SLACK = "https://slack.com/api/"

#: Fixed above debug: at lower levels the SDK writes whole bodies, and what people write is not for logs.
_log = logging.getLogger(f"{__name__}.sdk")
_log.setLevel(logging.WARNING)


class PatientRetryHandler(RateLimitErrorRetryHandler):
    """Waits as `Retry-After` says, but never longer in all than `most` seconds for one call."""

    def __init__(self, most: float) -> None:
        super().__init__(max_retry_count=10)
        self._most = most

    def _can_retry(self, *, state: RetryState, response: HttpResponse | None = None, **rest: Any) -> bool:
        if not super()._can_retry(state=state, response=response, **rest) or response is None:
            return False
        slept = dict(state.custom_values or {})
        slept["seconds"] = slept.get("seconds", 0) + _retry_after(response) + 1
        state.custom_values = slept
        return bool(slept["seconds"] <= self._most)


def web_client(token: str, base_url: str = SLACK, *, timeout: int = 10, most_sleep: float = 60) -> WebClient:
    """A client that posts: it repeats after a broken connection and after a rate limit.

    Args:
        token: the bot token.
        base_url: address of the Web API; `apps.connections.open` of Socket Mode goes there too.
        timeout: seconds for one call.
        most_sleep: seconds that all waits for rate limits of one call may take.
    """
    handlers = [ConnectionErrorRetryHandler(), PatientRetryHandler(most_sleep)]
    return WebClient(token, base_url=_closed(base_url), timeout=timeout, retry_handlers=handlers, logger=_log)


def lookup_client(token: str, base_url: str = SLACK, *, timeout: int = 1) -> WebClient:
    """A client for look-ups before an acknowledgement: Slack waits 3 s for that, so it neither waits nor repeats."""
    return WebClient(token, base_url=_closed(base_url), timeout=timeout, retry_handlers=[], logger=_log)


def _closed(base_url: str) -> str:
    return base_url if base_url.endswith("/") else base_url + "/"


def _retry_after(response: HttpResponse) -> int:
    for name, value in response.headers.items():
        if name.lower() == "retry-after":
            first = str(value[0] if isinstance(value, list | tuple) else value)
            return int(first) if first.isdigit() else 1
    return 1
