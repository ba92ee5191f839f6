"""Silences in Alertmanager, through its API v2 (prometheus/alertmanager `api/v2/openapi.yaml`)."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from datetime import datetime

from bot.app.ports import Clock
from bot.remedy.plan import Actor

_SECONDS = 10.0


class AlertmanagerSilencer:
    """`app.repair.ports.Silencer`.

    Args:
        url: the address, such as `http://alertmanager:9093`.
        clock: decision time, when silences begin.
    """

    def __init__(self, url: str, clock: Clock) -> None:
        self._url = f"{url.rstrip('/')}/api/v2/silences"
        self._clock = clock

    def silence(self, matchers: Mapping[str, str], until: datetime, by: Actor, why: str) -> str:
        """See `Silencer.silence`: alerts with exactly these labels, and no others."""
        body = {
            "matchers": [
                {"name": name, "value": value, "isRegex": False, "isEqual": True} for name, value in matchers.items()
            ],
            "startsAt": self._clock.now().isoformat(),
            "endsAt": until.isoformat(),
            "createdBy": f"gpu-autopsy for {by.id}",
            "comment": why,
        }
        request = urllib.request.Request(  # noqa: S310  the address is the operator's setting, http or https
            self._url, json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS) as reply:  # noqa: S310
                return str(json.load(reply)["silenceID"])
        except urllib.error.HTTPError as refused:
            raise RuntimeError(f"Alertmanager: HTTP {refused.code}") from refused
        except (OSError, ValueError, KeyError) as failed:
            raise RuntimeError(f"Alertmanager: {type(failed).__name__}") from failed
