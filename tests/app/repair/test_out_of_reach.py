"""While the cluster cannot be read no incident ends. Axes: whether it was repaired before, and who finds out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from bot.app.incidents import incident_id
from bot.app.ports import Pages, Read
from bot.app.repair.sweeper import LOOK
from bot.app.requests import Ask, Paste, PressKind
from bot.model.incident import Place, State
from bot.model.sections import Unknown, UnknownReason
from bot.remedy.plan import PlanState
from tests.app.repair.test_roots_gone import EndingLab
from tests.app.repair.world import JOURNAL
from tests.support.repair import BEN
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

    def chosen_nothing(self) -> None:
        self.diagnosed()
        (incident,) = self.incidents.all_open()
        self.only = incident.id

    def asked(self) -> None:
        """Nobody's alert: a person asks, and pastes the journal."""
        ask = Ask(id="ask-1", words="node omen2", place=Place("C0GPU"), user="U0ANA")
        self.desk.handle(ask)
        self.only = incident_id(ask.id)
        paste = Paste(id="paste-1", text=JOURNAL, place=self.incident().place, user="U0ANA", at=self.clock.now())
        self.desk.handle(paste)

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


def test_a_choice_that_the_alert_left_because_nothing_could_be_read_ends_once_it_can(lab: UnreadLab) -> None:
    lab.chosen_nothing()
    lab.is_out_of_reach()
    lab.alert_ends()
    assert lab.thread()[-1] == "desk-cannot-tell"
    lab.is_reached_again()
    lab.kubelet_lives()
    lab.later()
    lab.later()

    assert [one.state for one in lab.journal.plans(incident=lab.only)] == [PlanState.SUPERSEDED]
    assert lab.incident().state is State.RESOLVED


def test_what_somebody_asked_for_is_over_when_what_its_plan_was_for_can_be_seen_to_be_gone(lab: UnreadLab) -> None:
    lab.asked()
    assert lab.incident().keys == ()
    lab.choose("host-cuda")
    lab.press(PressKind.DENY, BEN, "guard-card")
    lab.is_out_of_reach()
    lab.later()
    assert lab.incident().state is State.OPEN
    lab.is_reached_again()
    lab.later()
    assert lab.incident().state is State.OPEN, "the kubelet is still down"
    lab.kubelet_lives()
    lab.later()
    assert lab.incident().state is State.RESOLVED
