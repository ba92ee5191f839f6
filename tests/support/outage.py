"""Plays incident A on a real control plane with its controllers: some of the nodes lose their kubelet."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime

from tests.support.kubeapi import Json, KubeApi

#: Taints that the node lifecycle controller gives a dead node and takes from a well one.
_CONTROLLERS_OWN = ("node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready")


def as_well(thing: Json) -> Json:
    """A node of a dump as it was before the outage: Ready, and without the controller's taints."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    status = thing["status"]
    conditions = [
        {
            "type": one["type"],
            "status": "True" if one["type"] == "Ready" else "False",
            "reason": "KubeletReady" if one["type"] == "Ready" else "KubeletHasSufficient",
            "lastHeartbeatTime": now,
            "lastTransitionTime": now,
        }
        for one in status["conditions"]
    ]
    taints = [one for one in thing["spec"].get("taints") or () if one["key"] not in _CONTROLLERS_OWN]
    return {**thing, "spec": {**thing["spec"], "taints": taints}, "status": {**status, "conditions": conditions}}


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


def split(things: Iterable[Json], *kinds: str) -> tuple[list[Json], list[Json]]:
    """The objects of these kinds, and the others."""
    everything = list(things)
    return [one for one in everything if one["kind"] in kinds], [one for one in everything if one["kind"] not in kinds]
