"""Where incident A is played again and again: one simulated cluster and one Redis, set back before each performance."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.adapters.redis.client import connect
from bot.adapters.redis.embedded import EmbeddedServer
from bot.playground.apiserver.server import SimulatedCluster
from bot.playground.apiserver.store import Store
from bot.playground.physics.scheduler import Scheduler
from bot.playground.physics.virt_controller import VirtController
from bot.playground.physics.virt_handlers import VirtHandlers
from bot.remedy.decision import Policy
from bot.remedy.runbook import Risk
from tests.app.repair.played import Played
from tests.app.repair.saved import Saved
from tests.app.repair.world import ROOT
from tests.support import worldtime
from tests.support.controlplane import ADMIN, NOBODY
from tests.support.redis import SetClock, binary
from tests.support.servers import Simulated, WallClock

DUMP = ROOT / "tests/scenarios/swap-kubelet/dump"
#: What starts machines: the scheduler, virt-controller, and virt-handler on the hosts that live.
KUBEVIRT = (Scheduler(), VirtController(), VirtHandlers(("omen1", "omen3", "omen4")))
#: What can differ before anybody presses anything.
CASTS = {
    "as shipped": {},
    "no operator": {"operator": False},
    "two for the label": {"policy": Policy(mutations=True, quorum={Risk.DISRUPTIVE: 2})},
    "a team of one": {"policy": Policy(mutations=True, solo=True)},
    "by hand": {"mutations": False},
    "by hand, no operator": {"mutations": False, "operator": False},
    "with KubeVirt": {"more": KUBEVIRT},
}


class Theatre:
    """Opens the same play anew."""

    def __init__(self, url: str, server: SimulatedCluster, folder: Path) -> None:
        self._url = url
        self._simulated = Simulated(server, folder)
        self.store: Store = server.store
        things = worldtime.objects(DUMP)
        self._begin = worldtime.newest(things)
        server.load(things)
        self._lab = self.store.moment()
        self._plays: dict[str, tuple[Played, Saved]] = {}

    def opens(self, cast: str = "as shipped") -> Played:
        """The outage is diagnosed, a plan is offered, nobody has chosen yet."""
        if cast not in self._plays:
            self.store.set_back(self._lab)
            with connect(self._url) as client:
                client.flushall()
            play = Played(self._url, self._simulated, SetClock(self._begin), **CASTS[cast])  # type: ignore[arg-type]
            self._plays[cast] = (play, play.save(self.store))
        play, begin = self._plays[cast]
        play.back(self.store, begin)
        play.is_careless = False
        return play

    def closes(self) -> None:
        """Let go of all connections."""
        self._simulated.close()


@pytest.fixture(scope="module")
def theatre(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Theatre]:
    users = {ADMIN: ADMIN, NOBODY: NOBODY}
    with EmbeddedServer(binary("embedded")) as redis, SimulatedCluster(WallClock(), users=users) as server:
        one = Theatre(redis.url, server, tmp_path_factory.mktemp("theatre"))
        yield one
        one.closes()
