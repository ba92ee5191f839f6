"""virt-handler on the machines that live: it writes its heartbeat by its own account, whatever the kubelet does."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from bot.playground.physics.api import NODES, Api
from bot.playground.physics.world import rfc3339

_HEARTBEAT = "kubevirt.io/heartbeat"
_EVERY = timedelta(minutes=1)


class VirtHandlers:
    """Keeps the heartbeat fresh on every node that ever had one, but for the dead hosts."""

    def __init__(self, dead: Collection[str] = ()) -> None:
        self._dead = frozenset(dead)

    def step(self, api: Api, now: datetime) -> None:
        """One round."""
        for node in api.list(NODES):
            name, last = node["metadata"]["name"], node["metadata"].get("annotations", {}).get(_HEARTBEAT)
            if last and name not in self._dead and now - datetime.fromisoformat(last) >= _EVERY:
                api.patch(f"{NODES}/{name}", {"metadata": {"annotations": {_HEARTBEAT: rfc3339(now)}}})
