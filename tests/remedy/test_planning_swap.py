"""Plans for a kubelet that refuses swap: who keeps the card, what comes before what, what opens no door."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from bot.model.diagnosis import Diagnosis
from bot.model.findings import Blind, Code
from bot.model.refs import CLUSTER, Ref
from bot.remedy import planning
from bot.remedy.drafting import CannotPlan
from bot.remedy.plan import Actor, PlanState
from bot.remedy.runbook import Verb
from tests.remedy.founding import offered, steps, without


def test_who_keeps_the_card_is_asked_first(swap: Diagnosis) -> None:
    plan = planning.skeleton(
        offered(swap),
        plan_id="p1",
        incident="i1",
        cluster="lab",
        requester=Actor("slack:T0TEAM/U0ONCALL"),
        at=datetime(2026, 10, 30, 17, tzinfo=UTC),
        dry=True,
    )
    assert (plan.state, plan.steps, plan.option) == (PlanState.CHOOSING, (), "")
    assert (plan.root, str(plan.subject), plan.runbook) == ("kubelet-swap-on", "node/omen2", "kubelet-swap")


def test_what_can_be_chosen_on_a_node_that_gives_its_card_to_vms(swap: Diagnosis) -> None:
    assert {one.id: one.refused for one in offered(swap).options} == {
        "host-cuda": "",
        "dont-know": "",
        "vms": "",
        "no-card": "plan-option-unsafe",
    }


@pytest.mark.parametrize("option", ["host-cuda", "dont-know"])
def test_the_guard_comes_before_the_host(swap: Diagnosis, option: str) -> None:
    found = steps(offered(swap), option)
    assert list(found) == ["guard-card", "host-off", "start-kubelet", "settle", "offered", "vms-down"]
    guard = found["guard-card"].action
    assert (guard.verb, str(guard.target.ref)) == (Verb.LABEL_NODE, "node/omen2")
    assert dict(guard.params) == {"label": "nvidia.com/gpu.workload.config", "value": "container"}
    assert found["host-off"].after == ("guard-card",)
    assert found["host-off"].hazard == "hazard-host-before-guard"
    assert found["host-off"].action.predecessors == (found["guard-card"].digest,)
    assert found["vms-down"].action.verify.params["vms"] == "vms/gpu-fedora"
    assert offered(swap).option(option).leaves == ("vm-unschedulable",)


@pytest.mark.parametrize("option", ["host-cuda", "dont-know"])
def test_what_is_not_there_is_not_left_broken_by_a_choice(swap: Diagnosis, option: str) -> None:
    assert offered(without(swap, "vm-unschedulable")).option(option).leaves == ()


@pytest.mark.parametrize(
    ("subject", "leaves"), [(CLUSTER, ("vm-unschedulable",)), (Ref("vm", "web", "elsewhere"), ())], ids=str
)
def test_what_could_not_be_looked_for_may_be_left_broken(
    swap: Diagnosis, subject: Ref, leaves: tuple[str, ...]
) -> None:
    code = Code("vm-unschedulable")
    blind = Blind(check="vms", codes=(code,), subject=subject, why="forbidden", command="kubectl get vm -A")
    none = msgspec.structs.replace(without(swap, code), blind=(blind,))
    assert offered(none).option("host-cuda").leaves == leaves


def test_dont_know_counts_as_cuda(swap: Diagnosis) -> None:
    offer = offered(swap)
    assert steps(offer, "dont-know") == steps(offer, "host-cuda")


def test_the_vms_get_the_card_only_after_the_cuda_work_ended(swap: Diagnosis) -> None:
    found = steps(offered(swap), "vms")
    assert list(found)[:3] == ["stop-cuda", "card-to-vms", "host-off"]
    assert found["card-to-vms"].after == ("stop-cuda",)
    assert found["host-off"].after == ("card-to-vms",)
    assert found["offered-vms"].action.verify.params["resource"] == "nvidia.com/GB202_GEFORCE_RTX_5090"


def test_without_a_card_at_stake_swap_alone_is_dealt_with(swap: Diagnosis) -> None:
    found = steps(offered(without(swap, "do-not-start-kubelet")), "no-card")
    assert list(found) == ["host-off", "start-kubelet", "settle"]
    assert (found["host-off"].after, found["host-off"].hazard) == ((), "")


def test_what_could_not_be_told_opens_no_door(swap: Diagnosis) -> None:
    blind = Blind(check="x", codes=(Code("do-not-start-kubelet"),), subject=CLUSTER, why="section-failed")
    untold = msgspec.structs.replace(without(swap, "do-not-start-kubelet"), blind=(*swap.blind, blind))
    offer = offered(untold)
    assert offer.option("no-card").refused == "plan-option-untold"
    with pytest.raises(CannotPlan, match="plan-option-untold"):
        planning.drafts(offer, "no-card", {})


def test_without_vms_the_card_cannot_be_given_to_them(swap: Diagnosis) -> None:
    offer = offered(without(swap, "vm-unschedulable"))
    assert dict(offer.option("vms").values) == {"step": "offered-vms", "parameter": "resource"}


@pytest.mark.parametrize("option", ["host-cuda", "dont-know"])
def test_where_no_vm_waits_no_step_looks_at_none(swap: Diagnosis, option: str) -> None:
    found = list(steps(offered(without(swap, "vm-unschedulable")), option))
    assert found == ["guard-card", "host-off", "start-kubelet", "settle", "offered"]


def test_a_vm_that_waits_for_another_node_is_not_in_the_plan(swap: Diagnosis) -> None:
    assert "rhel9-gpu-vm" not in offered(swap).parameters["vms"].text
