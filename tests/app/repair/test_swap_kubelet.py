"""Incident A from the alert to the end, on the simulated cluster and a real Redis. Axes: who keeps the card, what the
operator does, what people press in which order, what they paste."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from bot.app.requests import PressKind
from bot.model.incident import State
from bot.remedy.plan import Holder, PlanState
from bot.remedy.runbook import Runbook
from tests.app.repair.omens import MODE, OMEN2, Lab
from tests.app.repair.world import JOURNAL, LIBRARY
from tests.support.pastes import ACTIVE, COMES_BACK, SESSION, SWAPS_OFF, SWAPS_ON
from tests.support.repair import ANA, BEN, CAI, EVE
from tests.support.servers import Simulated


@pytest.fixture
def lab(redis_url: str, simulated: Simulated) -> Lab:
    return Lab(redis_url, simulated)


def test_the_whole_repair_with_the_card_for_cuda(lab: Lab) -> None:
    lab.diagnosed()
    assert lab.plan().state is PlanState.CHOOSING
    lab.choose("host-cuda")
    lab.approve("guard-card")
    lab.run()
    assert (lab.label(), lab.states()["guard-card"], lab.states()["host-off"]) == ("container", "applied", "pending")
    lab.operator_reacts()
    lab.run()
    assert lab.states()["guard-card"] == "verified"
    lab.report("host-off", SWAPS_OFF)
    lab.report("start-kubelet", ACTIVE)
    lab.kubelet_lives()
    lab.run()
    assert lab.states()["settle"] == "awaiting", "not Ready for two minutes yet"
    lab.clock.pass_by(timedelta(minutes=3))
    lab.beat()
    lab.run()

    assert lab.plan().state is PlanState.DONE
    assert lab.states() == {
        "guard-card": "verified",
        "host-off": "attested",
        "start-kubelet": "attested",
        "settle": "verified",
        "offered": "verified",
        "vms-down": "verified",
    }
    (incident,) = lab.incidents.all_open()
    assert (incident.state, incident.left) == (State.MITIGATED, ("vm-unschedulable",))
    assert lab.thread()[0].startswith("MITIGATED")
    assert [one for one in lab.thread() if ": verified" in one or ": attested" in one or one.startswith("plan")] == [
        "guard-card: verified (repair-verified)",
        "host-off: attested (repair-attested)",
        "start-kubelet: attested (repair-attested)",
        "settle: verified (repair-verified)",
        "offered: verified (repair-verified)",
        "vms-down: verified (repair-verified)",
        f"plan {lab.plan().id} done",
    ]
    assert not [one for one in lab.thread() if "[press]" in one or "[host-cuda]" in one], "no button is left"
    types = lab.types()
    assert types.index("intent") < types.index("dispatched") < types.index("outcome") < types.index("verified")
    assert lab.audit_holds()


def test_what_would_start_the_kubelet_without_the_guard_has_no_button_where_there_is_a_card(lab: Lab) -> None:
    lab.diagnosed()
    (choice,) = [one for one in lab.thread() if one.startswith("choice")]
    assert "[host-cuda]" in choice
    assert "[no-card]" not in choice


def test_an_operator_that_does_not_react_locks_the_host(lab: Lab) -> None:
    lab.diagnosed()
    lab.choose("dont-know")
    lab.approve("guard-card")
    lab.run()
    lab.report("host-off", SWAPS_OFF)
    assert lab.refusals() == ["hazard-host-before-guard"]
    lab.clock.pass_by(timedelta(minutes=3))
    lab.run()

    assert (lab.states()["guard-card"], lab.plan().state) == ("failed", PlanState.HALTED)
    assert lab.states()["host-off"] == "pending"


@pytest.mark.parametrize("step", ["host-off", "start-kubelet"])
def test_out_of_order_is_refused_with_the_hazard_in_the_thread(lab: Lab, step: str) -> None:
    lab.diagnosed()
    lab.choose("host-cuda")
    lab.report(step, SWAPS_OFF)

    (refusal,) = lab.refusals()
    assert refusal.startswith("hazard-")
    assert lab.states()[step] == "pending"
    assert "refused" in lab.types()


@pytest.mark.parametrize(
    ("text", "state", "why"),
    [
        (SWAPS_OFF, "attested", []),
        (SWAPS_ON, "awaiting", ["repair-report-bad"]),
        *((text, "awaiting", ["repair-report-bad"]) for text in COMES_BACK.values()),
        ("all done, trust me", "awaiting", ["repair-report-bad"]),
        (SWAPS_OFF.replace("omen2", "omen3"), "awaiting", ["repair-report-bad"]),
        (
            SWAPS_OFF.replace("Priority\n", "Priority\n/swapfile file\n33554428 0 -2\n"),
            "awaiting",
            ["repair-report-bad"],
        ),
        (SWAPS_OFF.replace("tail -n +1", "head -n 1"), "awaiting", ["repair-report-bad"]),
        (SESSION + SWAPS_OFF, "attested", []),
        ("", "awaiting", []),
    ],
    ids=[
        "off",
        "still on",
        *COMES_BACK,
        "chatter",
        "another host",
        "a wrapped row",
        "another command",
        "the whole session",
        "nothing",
    ],
)
def test_a_paste_is_judged_by_itself(lab: Lab, text: str, state: str, why: list[str]) -> None:
    lab.diagnosed()
    lab.choose("host-cuda")
    lab.approve("guard-card")
    lab.operator_reacts()
    lab.run()
    lab.report("host-off", text)

    assert (lab.states()["host-off"], lab.refusals()) == (state, why)
    if state == "attested":
        assert lab.step("host-off").values["why"] == "repair-swap-off", "which says what the output does not show"
    assert lab.states()["start-kubelet"] == ("awaiting" if state == "attested" else "pending")


def test_told_without_evidence_opens_the_next_step_with_a_second_person(lab: Lab) -> None:
    lab.diagnosed()
    lab.choose("host-cuda")
    lab.approve("guard-card")
    lab.operator_reacts()
    lab.run()
    lab.report("host-off", "", ANA)
    lab.report("host-off", "", ANA)
    assert lab.states()["start-kubelet"] == "pending"
    lab.report("host-off", "", BEN)

    assert (lab.states()["host-off"], lab.states()["start-kubelet"]) == ("attested", "awaiting")


def test_a_second_root_does_not_offer_twice_and_a_paste_again_changes_nothing(lab: Lab) -> None:
    lab.diagnosed()
    lab.paste(JOURNAL)
    lab.fire()

    assert len(lab.journal.plans()) == 1
    assert len([one for one in lab.thread() if one.startswith("choice")]) == 1


def test_a_choice_is_brought_up_to_date_when_what_can_be_chosen_has_changed(lab: Lab) -> None:
    lab.diagnosed()
    lab.api.merge(OMEN2, {"metadata": {"labels": {MODE: "container"}}})
    lab.operator_reacts()
    lab.run()
    assert "[no-card]" not in "".join(lab.thread()), "nobody looked since"
    lab.paste(JOURNAL)
    lab.paste(JOURNAL)
    lab.run()

    plan = lab.plan().id
    (card,) = [one for one in lab.thread() if one.startswith("choice ")]
    assert card == f"choice {plan} choosing: [host-cuda] [dont-know] [vms] [no-card]"
    assert [one for one in lab.thread() if one.startswith("changed choice")] == [f"changed choice {plan}: +no-card"]
    lab.choose("no-card")
    assert lab.states() == {"host-off": "awaiting", "start-kubelet": "pending", "settle": "pending"}


def test_a_plan_that_fails_is_offered_anew_to_whoever_asks_and_not_after_a_veto(lab: Lab) -> None:
    lab.diagnosed()
    lab.choose("host-cuda")
    lab.press(PressKind.DENY, CAI, "guard-card")
    lab.paste(JOURNAL)

    assert [one.state for one in lab.journal.plans(incident=lab.plan().incident)] == [PlanState.HALTED]


class Untold:
    """`Library` whose runbook asks for what no finding tells, for as long as `is_untold`."""

    is_untold = True

    def for_root(self, code: str) -> Runbook | None:
        book = LIBRARY.for_root(code)
        if book is None or not self.is_untold:
            return book
        return replace(book, parameters={**book.parameters, "node": "value:never-told"})

    def text(self, runbook: str, section: str, lang: str) -> str:
        return LIBRARY.text(runbook, section, lang)


class UntoldLab(Lab):
    def __init__(self, url: str, simulated: Simulated) -> None:
        self.library: Untold = Untold()
        super().__init__(url, simulated)


def test_where_no_option_can_be_chosen_the_thread_is_told_why_once(redis_url: str, simulated: Simulated) -> None:
    lab = UntoldLab(redis_url, simulated)
    lab.diagnosed()
    lab.paste(JOURNAL)
    lab.fire()

    (told,) = [one for one in lab.thread() if one.startswith("no plan")]
    assert told == (
        "no plan: host-cuda=plan-parameter-unknown dont-know=plan-parameter-unknown"
        " vms=plan-parameter-unknown no-card=plan-option-unsafe"
    )
    assert lab.journal.plans() == ()
    (entry,) = [one for one in lab.journal.entries() if one["type"] == "not-offered"]
    assert entry["details.vms"] == "plan-parameter-unknown step=stop-cuda parameter=node"
    lab.library.is_untold = False
    lab.paste(JOURNAL)
    assert lab.plan().state is PlanState.CHOOSING, "once it is known, the plan is offered"


def test_a_new_plan_says_what_the_bot_did_to_the_node_before(lab: Lab) -> None:
    lab.diagnosed()
    lab.choose("host-cuda")
    lab.approve("guard-card")
    lab.run()
    first = lab.plan()
    lab.press(PressKind.ABORT, ANA, reason="not now")
    lab.ask()
    assert lab.plan().id != first.id
    step = lab.choose("host-cuda").step("guard-card")

    (told,) = step.earlier
    assert (told.plan, told.exec_id) == (first.id, first.step("guard-card").exec_id)
    assert told.what == "kubelet-swap/guard-card label-node node/omen2"
    assert not lab.journal.read("").freeze.frozen


def test_a_claim_that_no_audit_knows_stops_everything_when_people_choose(lab: Lab) -> None:
    lab.diagnosed()
    step = lab.choose("host-cuda").step("guard-card")
    assert lab.hands is not None
    lab.hands.claim("of-a-journal-that-is-lost", step.action, (BEN,), Holder(owner="another", audit=""))
    lab.press(PressKind.ABORT, ANA, reason="not now")
    lab.ask()
    lab.choose("host-cuda")
    lab.approve("guard-card")

    assert lab.journal.read("").freeze.why == "repair-audit-gap"
    assert (lab.states()["guard-card"], lab.refusals()) == ("pending", ["repair-frozen"])
    assert lab.label() == "vm-passthrough"


def test_the_choice_is_made_once_and_by_who_may(lab: Lab) -> None:
    lab.diagnosed()
    lab.press(PressKind.CHOOSE, EVE, option="vms")
    lab.press(PressKind.CHOOSE, ANA, option="no-card")
    assert lab.plan().state is PlanState.CHOOSING
    lab.choose("host-cuda", ANA)
    lab.press(PressKind.CHOOSE, BEN, option="vms")

    assert lab.plan().option == "host-cuda"
    assert lab.refusals() == ["repair-may-not", "plan-option-unsafe", "repair-chosen-already"]


def test_without_mutations_the_plan_is_commands_and_the_bot_still_looks(redis_url: str, simulated: Simulated) -> None:
    lab = Lab(redis_url, simulated, mutations=False)
    lab.diagnosed()
    plan = lab.choose("host-cuda")
    assert plan.dry
    assert "kubectl label node omen2" in " ".join(plan.step("guard-card").action.commands)
    lab.report("guard-card", "", ANA)
    assert lab.states()["host-off"] == "pending"
    lab.api.merge(OMEN2, {"metadata": {"labels": {MODE: "container"}}})
    lab.operator_reacts()
    lab.run()

    assert (lab.states()["guard-card"], lab.states()["host-off"]) == ("verified", "awaiting")
    assert "intent" not in lab.types()
