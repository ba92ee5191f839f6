"""While the cluster cannot be read no incident ends. Axes: whether it was repaired before, and who finds out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from bot.app.ports import Pages, Read
from bot.app.repair.sweeper import LOOK
from bot.model.incident import State
from bot.model.sections import Unknown, UnknownReason
from tests.app.repair.test_roots_gone import EndingLab
from tests.support.servers import Simulated


class Unread:
    """`Cluster` that answers nothing: the API server is out of reach."""

    def __init__(self, cluster: Any) -> None:
        self._cluster = cluster

    def read(self, reads: Sequence[Read]) -> list[Pages]:
        failed = Unknown(UnknownReason.FAILED, "connection refused")
        return [msgspec.structs.replace(one, objects=failed, unreadable=()) for one in self._cluster.read(reads)]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cluster, name)


class UnreadLab(EndingLab):
    """The lab, whose API server may be out of reach for a while."""

    def is_out_of_reach(self) -> None:
        self.reached = self.cluster
        self.cluster = Unread(self.cluster)
        self.start("blind")

    def is_reached_again(self) -> None:
        self.cluster = self.reached
        self.start("seeing")

    def later(self) -> None:
        """Long enough that the sweeper looks once more."""
        self.clock.pass_by(LOOK + timedelta(minutes=1))
        self.beat()
        self.run()


@pytest.fixture
def lab(redis_url: str, simulated: Simulated) -> UnreadLab:
    return UnreadLab(redis_url, simulated)


def test_what_was_repaired_is_not_over_while_nothing_can_be_read(lab: UnreadLab) -> None:
    lab.until_settle()
    lab.alert_ends()
    lab.settles()
    lab.is_out_of_reach()
    lab.later()

    assert (lab.incident().state, lab.incident().left) == (State.MITIGATED, ("vm-unschedulable",))
    assert "repair-incident-over" not in lab.thread()


def test_an_alert_that_ends_while_nothing_can_be_read_resolves_nothing_until_it_can(lab: UnreadLab) -> None:
    lab.only = lab.fire().id
    lab.is_out_of_reach()
    lab.alert_ends()
    lab.later()
    assert (lab.incident().state, lab.incident().firing) == (State.OPEN, ())
    assert lab.thread()[-1] == "desk-cannot-tell"

    lab.is_reached_again()
    lab.kubelet_lives()
    lab.later()
    assert lab.incident().state is State.RESOLVED
    assert lab.thread()[-1] == "repair-incident-over"
