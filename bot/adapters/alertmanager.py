"""Silences through Alertmanager's API v2 (https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec
import urllib3

from bot.app.ports import Clock
from bot.remedy.plan import Actor

_TIMEOUT = urllib3.Timeout(connect=3, read=10)
_LONGEST = 300


class _Made(msgspec.Struct, frozen=True, rename={"silence_id": "silenceID"}):
    silence_id: str


class AlertmanagerSilencer:
    """Implements `app.repair.ports.Silencer`. A request is sent once: sent again it would make a second silence."""

    def __init__(self, url: str, clock: Clock, token: str = "") -> None:
        """Take the address of Alertmanager, without `/api/v2`.

        Args:
            url: `http://alertmanager.monitoring.svc:9093`, with its route prefix if it has one.
            clock: wall time; a silence begins now.
            token: a bearer token, where something in front of it asks for one.
        """
        self._address = f"{url.rstrip('/')}/api/v2/silences"
        self._clock = clock
        self._headers = {"Content-Type": "application/json", "User-Agent": "gpu-autopsy"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._http = urllib3.PoolManager(retries=False, timeout=_TIMEOUT, maxsize=1)

    def silence(self, matchers: Mapping[str, str], until: datetime, by: Actor, why: str) -> str:
        """See `Silencer.silence`. Every label must match exactly.

        Raises:
            ValueError: no label is named, or one has no value: that would silence alerts that nobody meant.
            RuntimeError: Alertmanager refused or did not answer; the text says which.
        """
        if not matchers or not all(matchers.values()):
            raise ValueError(f"a silence needs labels with values, not {dict(matchers)}")
        wanted = {
            "matchers": [
                {"name": name, "value": value, "isRegex": False, "isEqual": True} for name, value in matchers.items()
            ],
            "startsAt": self._clock.now(),
            "endsAt": until,
            "createdBy": by.id,
            "comment": why,
        }
        try:
            reply = self._http.request("POST", self._address, body=msgspec.json.encode(wanted), headers=self._headers)
        except urllib3.exceptions.HTTPError as failed:
            raise RuntimeError(type(failed).__name__) from failed
        if reply.status != 200:
            raise RuntimeError(f"HTTP {reply.status}: {_text(reply.data)}")
        try:
            return msgspec.json.decode(reply.data, type=_Made).silence_id
        except msgspec.DecodeError as unread:
            raise RuntimeError(f"HTTP {reply.status}: {_text(reply.data)}") from unread


def _text(body: bytes) -> str:
    return " ".join(body[:_LONGEST].decode("utf-8", "replace").split())
