"""Incident A whose alert may end, and whose cluster may be out of reach."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec

from bot.app.ports import Pages, Read
from bot.app.repair.sweeper import LOOK
from bot.app.requests import Press, PressKind
from bot.model.incident import Incident, Place
from bot.model.sections import Unknown, UnknownReason
from tests.app.desk import alert, group
from tests.app.repair.omens import Lab
from tests.support.pastes import ACTIVE, SWAPS_OFF
from tests.support.repair import BEN


class Unread:
    """`Cluster` that answers nothing: the API server is out of reach."""

    def __init__(self, cluster: Any) -> None:
        self._cluster = cluster

    def read(self, reads: Sequence[Read]) -> list[Pages]:
        failed = Unknown(UnknownReason.FAILED, "connection refused")
        return [msgspec.structs.replace(one, objects=failed, unreadable=()) for one in self._cluster.read(reads)]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cluster, name)


class EndingLab(Lab):
    """The lab, whose alert may end."""

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

    def fire(self, node: str = "omen2") -> Incident:
        self.fired = self.clock.now()
        return super().fire(node)

    def alert_ends(self) -> None:
        self.desk.handle(group("ended", alert("omen2", self.fired, firing=False)))

    def incident(self) -> Incident:
        found = self.incidents.by_id(self.only)
        assert found is not None
        return found

    def chosen(self) -> None:
        self.diagnosed()
        self.choose("host-cuda")
        (incident,) = self.incidents.all_open()
        self.only = incident.id

    def until_settle(self) -> None:
        """Everything is done but that the node has not been Ready for long."""
        self.chosen()
        self.approve("guard-card")
        self.run()
        self.operator_reacts()
        self.run()
        self.report("host-off", SWAPS_OFF)
        self.report("start-kubelet", ACTIVE)
        self.kubelet_lives()
        self.run()

    def approve_late(self) -> None:
        """Somebody presses a button of the old card."""
        (plan,) = self.journal.plans(incident=self.only)
        step = plan.step("guard-card")
        fields = {"plan": plan.id, "step": "guard-card", "digest": step.digest[:32]}
        now, place = self.clock.now(), Place("C0GPU", "1000.0")
        self.desk.handle(Press(id="late", kind=PressKind.APPROVE, actor=BEN, place=place, at=now, **fields))
        self.run()

    def settles(self) -> None:
        self.clock.pass_by(timedelta(minutes=3))
        self.beat()
        self.run()
