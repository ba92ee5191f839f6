"""Fetches files that people dropped into a thread, with the bot's token and a limit on size and time."""

from __future__ import annotations

import time
from collections.abc import Callable
from http.client import HTTPException
from typing import IO
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from bot.app.ports.people import FileTooBig, FileUnreadable

_CHUNK = 64 * 1024


class _NoRedirects(HTTPRedirectHandler):
    """A redirect would carry the token to whoever it names; Slack's own go to its login page."""

    def redirect_request(self, *_: object) -> None:
        return None


class SlackFiles:
    """Implements `bot.app.ports.people.Files`."""

    def __init__(
        self, token: str, base_url: str, *, seconds: float = 2, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        """Take what opens the files.

        Args:
            token: the bot token, with `files:read`.
            base_url: address of the Web API; the token goes to its host and to Slack's only.
            seconds: for a whole file: an acknowledgement waits for it, and Slack waits 3 s for that.
            monotonic: seconds that never go back.
        """
        self._token = token
        self._base = urlsplit(base_url)
        self._seconds = seconds
        self._monotonic = monotonic
        self._opener = build_opener(_NoRedirects)

    def read(self, url: str, limit: int) -> bytes:
        """See `Files.read`."""
        if not self._is_slacks(url):
            raise FileUnreadable("slack-file-address")
        request = Request(url, headers={"Authorization": f"Bearer {self._token}"})  # noqa: S310  see _is_slacks
        deadline = self._monotonic() + self._seconds
        try:
            with self._opener.open(request, timeout=self._seconds) as answer:
                if answer.headers.get_content_type() == "text/html":
                    # Slack shows its login page instead of an error.
                    raise FileUnreadable("slack-file-login")
                return self._all(answer, limit, deadline)
        except HTTPError as why:
            raise FileUnreadable(f"HTTP {why.code}") from None
        except (OSError, HTTPException) as why:
            raise FileUnreadable(type(why).__name__) from why

    def _all(self, answer: IO[bytes], limit: int, deadline: float) -> bytes:
        parts: list[bytes] = []
        size = 0
        while chunk := answer.read(min(_CHUNK, limit + 1 - size)):
            parts.append(chunk)
            size += len(chunk)
            if size > limit:
                raise FileTooBig
            if self._monotonic() > deadline:
                raise FileUnreadable(f"slack-file-slow {self._seconds:g}")
        return b"".join(parts)

    def _is_slacks(self, url: str) -> bool:
        asked = urlsplit(url)
        if (asked.scheme, asked.netloc) == (self._base.scheme, self._base.netloc):
            return True
        host = asked.hostname or ""
        ours = ("slack.com", self._base.hostname or "slack.com")
        return asked.scheme == "https" and any(host == one or host.endswith(f".{one}") for one in ours)
