"""A cluster whose controllers act as fast as they can, and whose newest moment is always now.

The bot reads the wall's clock, so a world that runs ahead of it or behind it would look broken. Here the controllers
play some minutes at once; then everything that is in the cluster is moved back by these minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from bot.model.sections import RESOURCES
from bot.playground.apiserver.server import SimulatedCluster
from bot.playground.physics.api import NODES, Api, Object
from bot.playground.physics.world import Controller
from tests.support.worldtime import moved

#: World time between two looks of a controller.
STEP = timedelta(seconds=20)


class FastWorld:
    """Plays controllers on a simulated cluster that nobody else writes to."""

    def __init__(self, cluster: SimulatedCluster, controllers: Sequence[Controller]) -> None:
        self._cluster = cluster
        self._controllers = controllers
        self.api = Api(cluster.kubeconfig())

    def play_until(self, happened: Callable[[], object], most: timedelta) -> timedelta:
        """Let the controllers act until something has happened; returns the world time that it took.

        Raises:
            AssertionError: it did not happen within this world time.
        """
        start = now = datetime.now(UTC)
        while not happened():
            now += STEP
            assert now - start <= most, f"not within {most} of world time"
            for controller in self._controllers:
                controller.step(self.api, now)
        self._move_back(now - start)
        return now - start

    def nodes(self) -> list[Object]:
        """All nodes."""
        return self.api.list(NODES)

    def _move_back(self, by: timedelta) -> None:
        for resource in RESOURCES.values():
            root = f"/apis/{resource.api_version}" if resource.group else f"/api/{resource.api_version}"
            found = self.api.get(f"{root}/{resource.section.value}")
            kind = {"apiVersion": resource.api_version, "kind": resource.kind}
            self._cluster.load(moved(kind | one, -by) for one in (found or {}).get("items") or ())
