"""Silences through Alertmanager's API v2 (https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TypeVar

import msgspec
import urllib3

from bot.app.ports import Clock
from bot.remedy.plan import Actor

_TIMEOUT = urllib3.Timeout(connect=3, read=10)
_LONGEST = 300
T = TypeVar("T")


class _Matcher(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    value: str
    is_regex: bool = False
    is_equal: bool = True


class _Status(msgspec.Struct, frozen=True):
    state: str = ""


class _Silence(msgspec.Struct, frozen=True, rename="camel"):
    """A silence of the list, as far as it is used; `startsAt` goes back as it came."""

    id: str
    status: _Status
    matchers: tuple[_Matcher, ...]
    comment: str = ""
    starts_at: str = ""


class _Made(msgspec.Struct, frozen=True, rename={"silence_id": "silenceID"}):
    silence_id: str


class AlertmanagerSilencer:
    """Implements `app.repair.ports.Silencer`.

    What became of a request may not be known, so the silence is looked for before one is made: it is the incident's, by
    its comment, with the same matchers. One that is found is lengthened.
    """

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

    def silence(self, matchers: Mapping[str, str], until: datetime, by: Actor, incident: str, why: str) -> str:
        """See `Silencer.silence`. Every label must match exactly.

        Raises:
            ValueError: no label is named, or one has no value: that would silence alerts that nobody meant.
            RuntimeError: Alertmanager refused or did not answer; the text says which.
        """
        if not matchers or not all(matchers.values()):
            raise ValueError(f"a silence needs labels with values, not {dict(matchers)}")
        named = f"incident {incident}: "
        exactly = tuple(_Matcher(name, value) for name, value in matchers.items())
        there = self._there(named, exactly)
        wanted = {
            "matchers": exactly,
            "startsAt": there.starts_at if there else self._clock.now(),
            "endsAt": until,
            "createdBy": by.id,
            "comment": named + why,
        } | ({"id": there.id} if there else {})
        return self._asked("POST", _Made, msgspec.json.encode(wanted)).silence_id

    def _there(self, named: str, exactly: tuple[_Matcher, ...]) -> _Silence | None:
        """The silence of this name with exactly these matchers, unless it is over."""
        for one in self._asked("GET", tuple[_Silence, ...]):
            is_over, is_ours = one.status.state == "expired", one.comment.startswith(named)
            if is_ours and not is_over and frozenset(one.matchers) == frozenset(exactly):
                return one
        return None

    def _asked(self, method: str, kind: type[T], body: bytes | None = None) -> T:
        try:
            reply = self._http.request(method, self._address, body=body, headers=self._headers)
        except urllib3.exceptions.HTTPError as failed:
            raise RuntimeError(type(failed).__name__) from failed
        if reply.status != 200:
            raise RuntimeError(f"HTTP {reply.status}: {_text(reply.data)}")
        try:
            return msgspec.json.decode(reply.data, type=kind)
        except msgspec.DecodeError as unread:
            raise RuntimeError(f"HTTP {reply.status}: {_text(reply.data)}") from unread


def _text(body: bytes) -> str:
    return " ".join(body[:_LONGEST].decode("utf-8", "replace").split())
