"""virt-handler on the machines that live: it writes its heartbeat by its own account, whatever the kubelet does, and
starts the guest of an instance that was handed over to it.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from bot.model.objects.virt import HEARTBEAT
from bot.playground.physics.api import INSTANCES, NODES, Api, path_of
from bot.playground.physics.world import rfc3339

_EVERY = timedelta(minutes=1)


class VirtHandlers:
    """Every node that ever had a heartbeat has one, but for the dead hosts."""

    def __init__(self, dead: Collection[str] = ()) -> None:
        self._dead = frozenset(dead)

    def step(self, api: Api, now: datetime) -> None:
        """One round."""
        living: set[str] = set()
        for node in api.list(NODES):
            name, last = node["metadata"]["name"], node["metadata"].get("annotations", {}).get(HEARTBEAT)
            if last and name not in self._dead:
                living.add(name)
                if now - datetime.fromisoformat(last) >= _EVERY:
                    api.patch(f"{NODES}/{name}", {"metadata": {"annotations": {HEARTBEAT: rfc3339(now)}}})
        for one in api.list(INSTANCES):
            status = one.get("status", {})
            if status.get("phase") == "Scheduled" and status["nodeName"] in living:
                api.patch(path_of(INSTANCES, one), {"status": {"phase": "Running"}})
