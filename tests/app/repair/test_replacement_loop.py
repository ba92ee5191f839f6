"""Incident B with its widest repair: node repair off for a day, on the simulated cluster. Axes: who owns Karpenter,
what the cluster then does, and what time brings."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.adapters.files.knowledge import load_policies
from bot.app.requests import PressKind
from bot.model.incident import State
from bot.model.objects import Node
from bot.model.sections import Section
from bot.remedy.decision import Policy
from bot.remedy.owners import OwnerKind
from bot.remedy.plan import PlanState
from bot.remedy.runbook import Verb
from tests.app.desk import alert, group
from tests.app.repair.world import ROOT, DumpWorld
from tests.support.repair import ANA, BEN
from tests.support.servers import Simulated

DUMP = ROOT / "tests/scenarios/replacement-loop/dump"


class Lab(DumpWorld):
    """A GPU node that is replaced every ten minutes, and Karpenter's Deployment."""

    repair_policies = load_policies("aws")

    def __init__(self, url: str, simulated: Simulated) -> None:
        super().__init__(url, simulated, DUMP, policy=Policy(mutations=True))

    def gpu_node(self) -> str:
        nodes = [one for one in self.objects(Section.NODES) if isinstance(one, Node)]
        return next(one.name for one in nodes if "karpenter.sh/nodepool" in one.metadata.labels)

    def karpenter(self) -> dict[str, Any]:
        found = [one for one in self.api.items("apps", "v1", "deployments") if one["metadata"]["name"] == "karpenter"]
        return {**found[0], "apiVersion": "apps/v1", "kind": "Deployment"}

    def gates(self) -> str:
        (container, *_) = self.karpenter()["spec"]["template"]["spec"]["containers"]
        return str({one["name"]: one.get("value") for one in container["env"]}["FEATURE_GATES"])

    def rolls_out(self) -> None:
        """The Deployment's controller has done its work."""
        one = self.karpenter()
        count = one["spec"].get("replicas", 1)
        seen = {"observedGeneration": one["metadata"]["generation"]}
        numbers = dict.fromkeys(("replicas", "updatedReplicas", "readyReplicas", "availableReplicas"), count)
        self.api.merge(one, {"status": {**seen, **numbers}}, "status")


@pytest.fixture
def lab(redis_url: str, simulated: Simulated) -> Lab:
    return Lab(redis_url, simulated)


def test_the_gate_is_turned_off_for_a_day_and_people_are_reminded(lab: Lab) -> None:
    lab.fire(lab.gpu_node())
    plan = lab.plan()
    assert (plan.subject.kind, plan.state) == ("nodepool", PlanState.CHOOSING)
    lab.choose("without-node-repair")
    lab.approve("gate-off")
    lab.run()
    assert "NodeRepair=false" in lab.gates().replace("nodeRepair", "NodeRepair")
    assert (lab.states()["gate-off"], lab.states()["loop-ended"]) == ("verified", "pending")
    lab.rolls_out()
    lab.run()
    assert lab.states()["gate-rolled-out"] == "verified"
    lab.clock.pass_by(timedelta(hours=1))
    lab.run()

    assert lab.plan().state is PlanState.DONE
    (incident,) = lab.incidents.all_open()
    assert (incident.state, incident.left) == (State.MITIGATED, ("gpu-condition-false",))
    (item,) = lab.repairs.desk.duty.open_list()
    assert [(plan.id, one.action.step) for plan, one in item.temporary] == [(lab.plan().id, "gate-off")]
    lab.clock.pass_by(timedelta(days=1))
    lab.run()
    lab.run()
    assert len([one for one in lab.thread() if one.startswith("still there")]) == 1, "once a day"
    assert lab.audit_holds()


def test_what_helm_would_undo_is_handed_over_and_seen_in_the_cluster(lab: Lab) -> None:
    lab.owners.kinds["karpenter"] = OwnerKind.HELM
    lab.fire(lab.gpu_node())
    plan = lab.choose("without-node-repair")
    step = plan.step("gate-off")
    assert step.action.verb is Verb.HAND_OVER
    assert step.action.commands
    lab.press(PressKind.APPROVE, BEN, "gate-off")
    lab.run()
    assert lab.states()["gate-off"] == "awaiting", "nothing is the bot's to run"
    one = lab.karpenter()
    (container, *_) = one["spec"]["template"]["spec"]["containers"]
    gates = lab.gates().replace("odeRepair=true", "odeRepair=false")
    for entry in container["env"]:
        if entry["name"] == "FEATURE_GATES":
            entry["value"] = gates
    lab.api.merge(one, {"spec": {"template": {"spec": {"containers": [container]}}}})
    lab.run()

    assert lab.states()["gate-off"] == "verified"
    assert "intent" not in lab.types()


def test_what_was_taken_back_is_no_repair_and_the_next_alert_gets_a_plan(lab: Lab) -> None:
    lab.fire(lab.gpu_node())
    lab.choose("without-node-repair")
    lab.approve("gate-off")
    lab.run()
    lab.rolls_out()
    lab.run()
    lab.clock.pass_by(timedelta(hours=1))
    lab.run()
    assert lab.incidents.all_open()[0].state is State.MITIGATED
    lab.press(PressKind.UNDO, ANA, "gate-off")
    lab.approve("gate-on")
    lab.run()
    lab.rolls_out()
    lab.run(rounds=4, seconds=6)
    assert "NodeRepair=true" in lab.gates()
    assert (lab.incidents.all_open()[0].state, lab.incidents.all_open()[0].left) == (State.OPEN, ())
    back = lab.plan().id

    lab.desk.handle(group("again", alert(lab.gpu_node(), lab.clock.now())))
    lab.run()
    assert lab.incidents.all_open()[0].state is State.WAITING
    assert (lab.plan().id != back, lab.plan().undoes, lab.plan().state) == (True, "", PlanState.CHOOSING)
