"""Incident A's first step on a real API server, from the choice to what the operator makes of it.

The operator, the kubelet and the machine are the playground's. Axes: what a dry run leaves behind; what stands in the
cluster once the step ran; what changed between approval and run; whether the operator reacts; the order of the presses.
"""

from __future__ import annotations

import pytest

from bot.playground.physics.api import NODES
from bot.playground.physics.gpu_operator import MODE
from bot.remedy.plan import PlanState, StepState
from tests.app.repair.moves import APPROVE, CHOOSE, ESSENTIAL, LATER, OFF, START, VMS, WAIT, WORKS, Move
from tests.app.repair.played import LONG_ENOUGH, NODE, Played
from tests.real.opening import opens
from tests.support.kubeapi import Json
from tests.support.redis import ONE_REDIS, redis_server, redis_url
from tests.support.repair import BEN
from tests.support.servers import Real

__all__ = ["redis_server", "redis_url"]
pytestmark = [pytest.mark.real, ONE_REDIS]
CLAIMS = "/apis/coordination.k8s.io/v1/namespaces/gpu-autopsy/leases"
POLICIES = "/apis/nvidia.com/v1/clusterpolicies"
DEPLOY = "nvidia.com/gpu.deploy."


@pytest.fixture
def play(real: Real, redis_url: str) -> Played:
    return opens(real, redis_url)


def node(play: Played) -> Json:
    found = play.api.get(f"{NODES}/{NODE}")
    assert found is not None
    return found


def claims(play: Played) -> list[Json]:
    return play.api.list(CLAIMS)


def written(real: Real, play: Played) -> list[str]:
    """What the executor did to the cluster, by the server's own log."""
    step = play.known("guard-card")
    return real.effects(f"x={step.exec_id}") if step and step.exec_id else []


def test_the_dry_run_leaves_the_object_as_it_was_and_the_card_shows_what_would_change(play: Played) -> None:
    before = node(play)
    play.do(CHOOSE)
    step = play.step("guard-card")
    assert node(play) == before
    assert step.action.diff == f"- metadata.labels[{MODE}]: vm-passthrough\n+ metadata.labels[{MODE}]: container"
    assert step.action.target.uid == before["metadata"]["uid"]
    assert claims(play) == []


def test_one_claim_one_write_and_verified_only_when_the_operator_has_swapped_the_labels(
    real: Real, play: Played
) -> None:
    for move in (CHOOSE, APPROVE, WORKS, WORKS):
        play.do(move)
    step = play.step("guard-card")
    assert (step.state, play.mode()) == (StepState.APPLIED, "container")
    assert written(real, play) == [f"create {CLAIMS}", f"patch {NODES}/{NODE}"]
    (claim,) = claims(play)
    assert claim["metadata"]["name"] == f"autopsy-x-{step.exec_id}"
    told = claim["metadata"]["annotations"]
    assert (told["autopsy.io/digest"], told["autopsy.io/approvers"]) == (step.digest, BEN.id)
    assert node(play)["metadata"]["annotations"]["autopsy.io/exec-id"] == step.exec_id
    for move in (WAIT, WORKS):
        play.do(move)
    labels = node(play)["metadata"]["labels"]
    assert (labels[f"{DEPLOY}device-plugin"], labels.get(f"{DEPLOY}vfio-manager")) == ("true", None)
    step = play.step("guard-card")
    assert (step.state, step.why) == (StepState.VERIFIED, "repair-verified")
    assert {one.field for one in step.evidence} >= {f"metadata.labels[{DEPLOY}device-plugin]"}
    assert (len(claims(play)), play.offered("host-off") is not None) == (1, True)
    assert play.audit_holds()


def test_to_the_repaired_end(real: Real, play: Played) -> None:
    for move in (*ESSENTIAL, LATER, LATER, LATER):
        play.do(move)
    assert play.plan().state is PlanState.DONE
    assert (play.cuda(), play.host.state()["driver"]) == ("running", "nvidia")
    assert len(written(real, play)) == 2
    assert play.audit_holds()


@pytest.mark.parametrize(
    ("change", "state"),
    [
        ({"metadata": {"labels": {MODE: "vm-vgpu"}}}, StepState.SUPERSEDED),
        ({"metadata": {"annotations": {"somebody": "else"}}}, StepState.APPLIED),
        ({"metadata": {"labels": {MODE: "container"}}}, StepState.APPLIED),
    ],
    ids=["the label", "something else", "the label, as wanted"],
)
def test_what_changed_between_approval_and_run(play: Played, change: Json, state: StepState) -> None:
    for move in (CHOOSE, APPROVE):
        play.do(move)
    play.api.patch(f"{NODES}/{NODE}", change)
    before = node(play)
    play.do(WORKS)
    assert play.step("guard-card").state is state
    if change != {"metadata": {"annotations": {"somebody": "else"}}}:
        assert node(play) == before, "nothing was written"


def test_sandbox_workloads_that_were_switched_off_meanwhile(play: Played) -> None:
    """The precondition of the step: without them the operator does not deal with modes."""
    for move in (CHOOSE, APPROVE):
        play.do(move)
    (policy,) = play.api.list(POLICIES)
    play.api.patch(f"{POLICIES}/{policy['metadata']['name']}", {"spec": {"sandboxWorkloads": {"enabled": False}}})
    before = node(play)
    play.do(WORKS)
    assert (play.step("guard-card").state, node(play)) == (StepState.SUPERSEDED, before)
    assert any("spec.sandboxWorkloads.enabled" in one and "is false, not true" in one for one in play.thread())


def test_another_node_of_the_same_name(play: Played) -> None:
    for move in (CHOOSE, APPROVE):
        play.do(move)
    old = node(play)
    play.api.delete(f"{NODES}/{NODE}")
    fresh = {key: old["metadata"][key] for key in ("name", "labels")}
    play.api.create(NODES, {"apiVersion": "v1", "kind": "Node", "metadata": fresh})
    play.do(WORKS)
    assert (play.step("guard-card").state, play.mode()) == (StepState.SUPERSEDED, "vm-passthrough")


def test_an_operator_that_does_not_run_leaves_the_host_locked_and_the_card_says_why(real: Real, redis_url: str) -> None:
    play = opens(real, redis_url, operator=False)
    for move in (CHOOSE, APPROVE, WORKS, WAIT, WORKS, OFF):
        play.do(move)
    assert (play.step("guard-card").state, play.mode()) == (StepState.APPLIED, "container")
    (refusal,) = [one for one in play.thread() if one.startswith("REFUSED")]
    assert "kills every CUDA process" in refusal
    play.do(LATER)
    assert (play.step("guard-card").state, play.plan().state) == (StepState.FAILED, PlanState.HALTED)
    told = " ".join(play.thread())
    assert f"the GPU Operator has not reacted on node/{NODE}" in told
    assert "the label protects nothing yet" in told
    for move in (OFF, START):
        play.do(move)
    assert play.is_untouched()
    assert {play.states()[name] for name in ("host-off", "start-kubelet")} == {"pending"}
    assert play.by_hand("host-off", "start-kubelet")
    play.passes(LONG_ENOUGH)
    assert play.cuda() == "killed", "the control"


#: Orders by hand, at the borders, and one that is permitted.
ORDERS: dict[str, tuple[Move, ...]] = {
    "the host first": (OFF, START, CHOOSE, APPROVE, WORKS, WAIT, WORKS),
    "the host before the approval": (CHOOSE, OFF, START, APPROVE, WORKS, WAIT, WORKS),
    "the host before the label": (CHOOSE, APPROVE, OFF, START, WORKS, WAIT, WORKS),
    "the kubelet first": (CHOOSE, APPROVE, WORKS, WAIT, WORKS, START, OFF),
    "the host before the bot has looked": (CHOOSE, APPROVE, WORKS, WAIT, OFF, START, WORKS),
    "a stranger": (Move("choose", "host-cuda", "eve"), CHOOSE, Move("approve", "guard-card", "eve"), WORKS, OFF, START),
    "a veto": (CHOOSE, Move("deny", "guard-card", "cai"), APPROVE, WORKS, OFF, START),
    "an old button": (CHOOSE, Move("approve", "guard-card", "ben", "old"), WORKS, OFF, START),
    "too late": (CHOOSE, Move("wait and work", "twenty minutes"), APPROVE, WORKS, OFF, START),
    "alone, with a reason": (CHOOSE, Move("break glass", "guard-card", "ana"), WORKS, WAIT, WORKS, OFF, START),
    "swap still on": (*ESSENTIAL[:5], Move("report", "host-off", "ana", "bad paste"), START, OFF, START),
    "given up and begun again": (*ESSENTIAL[:5], Move("give up", "", "cai"), OFF, Move("ask"), *ESSENTIAL),
}


@pytest.mark.parametrize("name", ORDERS)
def test_in_a_sample_of_orders_the_job_lives_and_dies_where_people_do_not_care(
    real: Real, redis_url: str, name: str
) -> None:
    play = opens(real, redis_url)
    for move in ORDERS[name]:
        play.do(move)
        assert play.cuda() == "running", move
    assert written(real, play).count(f"patch {NODES}/{NODE}") <= 1
    assert play.audit_holds()
    if play.is_untouched() and play.mode() == "vm-passthrough":
        play.by_hand("host-off", "start-kubelet")
        play.passes(LONG_ENOUGH)
        assert play.cuda() == "killed", "the control"


def test_the_vms_get_the_card_once_a_person_has_stopped_the_job(real: Real, redis_url: str) -> None:
    play = opens(real, redis_url)
    for move in (VMS[0], OFF, START, VMS[2], WORKS):
        play.do(move)
    assert (play.cuda(), play.is_untouched()) == ("running", True)
    for move in (*VMS[1:], WORKS, WAIT, WORKS, OFF, START, LATER, LATER):
        play.do(move)
    assert (play.cuda(), play.host.state()["driver"]) == ("stopped", "vfio-pci")
    assert play.states()["offered-vms"] == "verified"
