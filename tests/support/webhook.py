"""What Alertmanager posts to a webhook, as it stands in its documentation of version 4."""

from __future__ import annotations

from typing import Any

NEVER = "0001-01-01T00:00:00Z"


def alert(name: str = "omen2", status: str = "firing", **other: Any) -> dict[str, Any]:
    return {
        "status": status,
        "labels": {"alertname": "KubeNodeNotReady", "node": name},
        "annotations": {"summary": "<!channel> down"},
        "startsAt": "2026-07-10T15:40:51.123456789Z",
        "endsAt": NEVER if status == "firing" else "2026-07-10T16:00:00Z",
        "generatorURL": "http://prometheus/graph",
        "fingerprint": f"{sum(name.encode()):016x}",
    } | other


def group(*alerts: dict[str, Any], **other: Any) -> dict[str, Any]:
    return {
        "version": "4",
        "groupKey": '{}:{alertname="KubeNodeNotReady"}',
        "truncatedAlerts": 0,
        "status": "firing",
        "receiver": "autopsy",
        "groupLabels": {"alertname": "KubeNodeNotReady"},
        "commonLabels": {},
        "commonAnnotations": {},
        "externalURL": "http://alertmanager",
        "alerts": list(alerts or [alert()]),
    } | other
