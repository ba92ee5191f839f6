"""What becomes of a plan whose alert ends, or whose root is gone. Axes: what was done of it by then, what is still
seen, what cannot be told, who finds out first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import msgspec
import pytest

from bot.app.ports import Incidents, PostFailed
from bot.app.repair.posting import PATIENCE
from bot.app.repair.roots_gone import Roots
from bot.app.requests import Press, PressKind
from bot.app.threads import Threads
from bot.model.diagnosis import Diagnosis
from bot.model.findings import Blind, Code
from bot.model.incident import Incident, Place, State
from bot.model.refs import node
from bot.model.sections import Unknown, UnknownReason
from bot.remedy.decision import Policy
from bot.remedy.plan import PlanState
from bot.remedy.runbook import Verb
from tests.app.desk import alert, group
from tests.app.repair.omens import Lab
from tests.app.repair.small import Small
from tests.support.desk import PlainPresenter, SlackBoard, StubCluster, chains, fault
from tests.support.pastes import ACTIVE, SWAPS_OFF
from tests.support.plans import plan
from tests.support.redis import SetClock
from tests.support.repair import BEN, CAI
from tests.support.servers import Simulated


class EndingLab(Lab):
    """The lab, whose alert may end."""

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


@pytest.fixture
def lab(redis_url: str, simulated: Simulated) -> EndingLab:
    return EndingLab(redis_url, simulated)


def _plan_state(lab: EndingLab) -> PlanState:
    return lab.journal.plans(incident=lab.only)[0].state


def test_an_alert_that_ends_before_the_plan_leaves_the_incident_open_until_it_ends(lab: EndingLab) -> None:
    lab.until_settle()
    lab.alert_ends()
    assert (lab.incident().state, lab.incident().firing, _plan_state(lab)) == (State.OPEN, (), PlanState.ACTIVE)
    assert "desk-repair-goes-on" in lab.thread()
    assert [one.incident.id for one in lab.repairs.desk.duty.open_list()] == [lab.only]
    lab.settles()

    assert _plan_state(lab) is PlanState.DONE
    assert (lab.incident().state, lab.incident().left) == (State.MITIGATED, ("vm-unschedulable",))
    assert lab.thread()[0].startswith("MITIGATED")


def test_an_alert_that_ends_by_itself_ends_a_plan_of_which_nothing_was_done(lab: EndingLab) -> None:
    lab.chosen()
    lab.kubelet_lives()
    lab.alert_ends()

    assert (_plan_state(lab), lab.incident().state) == (PlanState.SUPERSEDED, State.RESOLVED)
    assert lab.thread()[0].startswith("RESOLVED")
    assert "guard-card: superseded (repair-root-over)" in lab.thread()
    told = [one.split()[0] for one in lab.thread()]
    assert told.index("desk-plan-ends") < lab.thread().index("the alert no longer fires")
    assert not [one for one in lab.thread() if "[press]" in one]
    (entry,) = [one for one in lab.journal.entries() if one["type"] == "superseded"]
    assert (entry["details.reason"], entry["details.root"]) == ("repair-root-over", "kubelet-swap-on")
    lab.approve_late()
    assert (lab.label(), lab.refusals()) == ("vm-passthrough", ["repair-plan-over"])


def test_an_incident_is_not_resolved_before_the_end_of_its_plan_is_told(lab: EndingLab) -> None:
    lab.chosen()
    lab.kubelet_lives()
    lab.board.fails = ["plan "]
    for _ in range(2):
        # The second time it is not known yet whether the first one is still at it.
        with pytest.raises(PostFailed):
            lab.alert_ends()
        assert lab.incident().is_open
        lab.clock.pass_by(PATIENCE / 2)
    lab.alert_ends()

    assert lab.incident().state is State.RESOLVED
    assert len([one for one in lab.thread() if one.startswith("plan ")]) == 1


def test_a_choice_that_nobody_made_ends_with_the_alert(lab: EndingLab) -> None:
    lab.diagnosed()
    (incident,) = lab.incidents.all_open()
    lab.only = incident.id
    lab.kubelet_lives()
    lab.alert_ends()

    assert (_plan_state(lab), lab.incident().state) == (PlanState.SUPERSEDED, State.RESOLVED)


def test_what_people_reported_makes_the_plan_go_on(redis_url: str, simulated: Simulated) -> None:
    lab = EndingLab(redis_url, simulated, policy=Policy(mutations=False), mutations=False)
    lab.chosen()
    lab.report("guard-card", "", BEN)
    lab.kubelet_lives()
    lab.alert_ends()
    assert (_plan_state(lab), lab.incident().state) == (PlanState.ACTIVE, State.WAITING)
    lab.report("guard-card", "", CAI)

    assert lab.states()["guard-card"] == "attested", "what people did counts, whatever became of the root"


def test_a_plan_that_ends_another_way_after_its_alert_leaves_nothing_open(lab: EndingLab) -> None:
    lab.until_settle()
    lab.alert_ends()
    lab.press(PressKind.ABORT, BEN, reason="the node is fine")
    lab.run()

    assert _plan_state(lab) is PlanState.ABORTED
    assert (lab.incident().state, lab.incidents.all_open()) == (State.RESOLVED, ())
    assert "repair-incident-over" in lab.thread()


def test_nothing_is_sent_where_the_root_is_gone_when_the_first_step_runs(lab: EndingLab) -> None:
    lab.chosen()
    lab.approve("guard-card")
    lab.kubelet_lives()
    lab.run()

    assert (lab.label(), lab.states()["guard-card"]) == ("vm-passthrough", "superseded")
    assert _plan_state(lab) is PlanState.SUPERSEDED
    assert lab.incident().state is State.OPEN, "its alert still fires"
    assert "guard-card: superseded (repair-drifted)" in lab.thread()
    assert lab.journal.plans(incident=lab.only)[0].step("guard-card").values["why"] == "repair-root-over"
    (entry,) = [one for one in lab.journal.entries() if one["type"] == "outcome"]
    assert (entry["details.result"], entry["details.why"]) == ("drifted", "repair-root-over")


def test_after_the_first_step_the_root_may_be_gone_by_the_plans_own_doing(lab: EndingLab) -> None:
    lab.chosen()
    lab.approve("guard-card")
    lab.run()
    lab.operator_reacts()
    lab.kubelet_lives()
    lab.run()

    assert (lab.label(), lab.states()["guard-card"]) == ("container", "verified")
    assert _plan_state(lab) is PlanState.ACTIVE


def test_after_a_hand_over_the_root_may_be_gone_by_what_people_did(redis_url: str) -> None:
    signs, alerts = ("kubelet-swap-on node/omen2",), ("f-omen2@1",)
    small = Small(redis_url, verb=Verb.HAND_OVER, signs=signs, alerts=alerts)
    small.cluster.labels["first"] = "on"
    small.run()
    assert (small.states(), small.hands.acted) == (["verified", "awaiting"], 0)
    assert small.seen == chains(), "nothing is seen any more"
    small.approve(step="second")
    small.run()

    assert (small.states(), small.hands.acted) == (["verified", "verified"], 1)


SIGNS = ("kubelet-down node/omen2",)
DOWN = [fault("kubelet-down", "node/omen2")]
PASTED = [fault("kubelet-down", "node/omen2", pasted_by="<@U0ANA>")]


def _blind(code: str, *, required: bool = True) -> Blind:
    return Blind(check="tests", codes=(Code(code),), subject=node("omen2"), why="section-failed", required=required)


def _seeing(diagnosis: Diagnosis, *blind: Blind) -> Diagnosis:
    return msgspec.structs.replace(diagnosis, blind=blind)


@pytest.mark.parametrize(
    ("signs", "seen", "gone"),
    [
        (SIGNS, chains(), True),
        (SIGNS, chains(DOWN), False),
        (SIGNS, chains([fault("kubelet-down", "node/omen3")]), True),
        (SIGNS, chains(PASTED), True),
        (SIGNS, _seeing(chains(), _blind("kubelet-down")), False),
        (SIGNS, _seeing(chains(), _blind("kubelet-down", required=False)), True),
        (SIGNS, _seeing(chains(), _blind("vm-unschedulable")), True),
        ((), chains(), False),
    ],
    ids=["gone", "there", "another's", "pasted only", "cannot tell", "told anyway", "another question", "never seen"],
)
def test_what_cannot_be_told_and_what_was_only_pasted_is_not_gone(
    signs: Sequence[str], seen: Diagnosis, gone: bool
) -> None:
    threads = Threads(
        incidents=_Nothing(), poster=SlackBoard(), presenter_of=lambda _: PlainPresenter(), clock=SetClock()
    )
    one = msgspec.structs.replace(plan("p1", "inc1"), signs=tuple(signs), subject=node("omen2"))
    assert Roots(threads, StubCluster(["node/omen2"], lambda _: seen)).is_gone(one) is gone


class _Nothing(Incidents):
    """No incident is kept."""

    def by_id(self, incident_id: str) -> Incident | None:
        return None


def test_a_plan_given_up_whose_request_nobody_can_tell_keeps_its_incident_open(redis_url: str) -> None:
    small = Small(redis_url)
    small.approve()
    small.cluster.unreadable = Unknown(UnknownReason.FAILED, "time-out")
    small.run()
    small.do(small.press(PressKind.ABORT, BEN, "", reason="another way"))
    small.clock.pass_by(timedelta(hours=1))
    small.repairs.verifier.run_once()
    assert (small.plan().state, small.states()[0]) == (PlanState.ABORTED, "unknown")
    (incident,) = small.incidents.all_open()

    assert small.repairs.desk.goes_on(incident)
    assert (incident.state, incident.waiting) == (State.WAITING, "first")
    small.seen = chains()
    small.repairs.sweeper.run_once()
    assert [one.incident.state for one in small.repairs.desk.duty.open_list()] == [State.WAITING]
