"""Plays incident A on a real control plane with its controllers: well nodes, of which some lose their kubelet."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Collection, Iterable
from datetime import datetime

from tests.support.kubeapi import Json, KubeApi

#: Taints that the node lifecycle controller gives a dead node and takes from a well one.
_CONTROLLERS_OWN = ("node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready")
_TIME = re.compile(r'"(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)"')


def moved(things: Iterable[Json], begin: datetime, to: datetime, now: datetime) -> list[Json]:
    """The objects with their times moved so that `begin` falls on `to`; none is later than `now`."""

    def move(found: re.Match[str]) -> str:
        moment = min(datetime.fromisoformat(found[1]) + (to - begin), now)
        return f'"{moment.strftime("%Y-%m-%dT%H:%M:%S")}{".000000" if "." in found[1] else ""}Z"'

    result: list[Json] = json.loads(_TIME.sub(move, json.dumps(list(things))))
    return result


def as_well(thing: Json) -> Json:
    """A node or a pod of a dump as it was before the outage: Ready, without taints of the controller's.

    A DaemonSet no longer replaces pods by itself: those of a dump lack the hash of their revision.
    """
    if thing["kind"] == "DaemonSet":
        return {**thing, "spec": {**thing["spec"], "updateStrategy": {"type": "OnDelete"}}}
    if thing["kind"] not in ("Node", "Pod"):
        return thing
    status = thing["status"]
    conditions = [
        {
            "type": one["type"],
            "status": "False" if one["type"].endswith("Pressure") else "True",
            "lastTransitionTime": one["lastTransitionTime"],
        }
        for one in status["conditions"]
    ]
    taints = [one for one in thing["spec"].get("taints") or () if one["key"] not in _CONTROLLERS_OWN]
    spec = {**thing["spec"], "taints": taints} if thing["kind"] == "Node" else thing["spec"]
    return {**thing, "spec": spec, "status": {**status, "conditions": conditions}}


def wait_until(what: str, true: Callable[[], bool], seconds: float) -> None:
    """Wait for something that others bring about.

    Raises:
        AssertionError: it did not come.
    """
    ends = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < ends, f"not within {seconds:g} s: {what}"
        time.sleep(0.5)


def dead(api: KubeApi, names: Collection[str]) -> bool:
    """Whether the node lifecycle controller has called all of these nodes unreachable."""
    found = {one["metadata"]["name"]: one for one in api.items("", "v1", "nodes")}
    return all(_is_dead(found[name]) for name in names)


def _is_dead(node: Json) -> bool:
    ready = next(one for one in node["status"]["conditions"] if one["type"] == "Ready")
    taints = {(one["key"], one["effect"]) for one in node["spec"].get("taints") or ()}
    key = "node.kubernetes.io/unreachable"
    return ready["status"] == "Unknown" and {(key, "NoSchedule"), (key, "NoExecute")} <= taints
