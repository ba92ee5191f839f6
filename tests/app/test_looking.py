"""Whether a plan is offered. Axes: what was named (there, not there, nothing); by an alert, a question or a paste."""

from __future__ import annotations

import pytest

from bot.app.requests import Alert, Notice, Press, Request
from bot.model.diagnosis import Diagnosis
from bot.model.incident import Incident
from bot.remedy.plan import Actor
from tests.app.desk import World, alert, ask, group, paste


class Offered:
    """`Repair` that remembers for which causes it was asked to offer a plan."""

    def __init__(self) -> None:
        self.causes: set[str] = set()

    def offer(self, incident: Incident, diagnosis: Diagnosis, requester: Actor | None = None) -> None:
        self.causes |= {str(one.finding.subject) for one in diagnosis.roots}

    def goes_on(self, incident: Incident) -> bool:
        return False

    def handle(self, press: Press) -> None:
        raise AssertionError

    def notice(self, notice: Notice) -> None:
        raise AssertionError


@pytest.mark.parametrize(
    ("request_", "offered"),
    [
        (group("r1", alert("omen2")), {"node/omen2"}),
        (group("r1", alert("omne2")), set()),
        (group("r1", alert("omne2"), alert("omen2")), {"node/omen2"}),
        (group("r1", Alert(firing=True, labels={"alertname": "GpuJobsFail"}, fingerprint="f1")), {"node/omen2"}),
        (ask("q1", "node/omen2"), {"node/omen2"}),
        (ask("q1", "node/omne2"), set()),
        (paste("p1", "omen2: running with swap on", "5.0"), {"node/omen2"}),
        (paste("p1", "omne2: running with swap on", "5.0"), set()),
    ],
    ids=["alert", "alert, typo", "alert, one is there", "alert names nothing", "asked", "asked, typo", "paste", "host"],
)
def test_no_plan_is_offered_for_what_nobody_named(world: World, request_: Request, offered: set[str]) -> None:
    world.down = {"omen2"}
    world.repair = repair = Offered()
    world.desk = world.replica()
    world.handle(request_)
    assert repair.causes == offered
