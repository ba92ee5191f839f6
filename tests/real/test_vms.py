"""Incident A on a real API server, with the card for the VMs: from the choice to the plan's end.

KubeVirt is the playground's; the scheduler is once the playground's and once the real one. What a binding makes of a
pod is the server's.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from bot.playground.physics.api import PODS, Api
from bot.playground.physics.scheduler import Scheduler
from bot.remedy.plan import PlanState
from tests.app.repair.moves import ESSENTIAL, LATER, START
from tests.app.repair.played import NODE, Played
from tests.app.repair.theatre import KUBEVIRT
from tests.app.repair.vms import DONE, TO_THE_VMS, has_ended_with_the_vms, word
from tests.real.opening import opens
from tests.support.controlplane import ADMIN, ControlPlane, assets_or_skip
from tests.support.outage import wait_until
from tests.support.redis import ONE_REDIS, redis_server, redis_url
from tests.support.servers import Real

__all__ = ["redis_server", "redis_url"]
pytestmark = [pytest.mark.real, ONE_REDIS]


def test_the_vms_get_the_card_to_the_plans_end(real: Real, redis_url: str) -> None:
    play = opens(real, redis_url, more=KUBEVIRT)
    for move in TO_THE_VMS:
        play.do(move)
    has_ended_with_the_vms(play)
    on_the_node = {one["metadata"]["name"]: one for one in play.api.list(f"{PODS}?fieldSelector=spec.nodeName={NODE}")}
    launcher = on_the_node["virt-launcher-gpu-fedora-7ad51"]["status"]
    told = {one["type"]: one["status"] for one in launcher["conditions"]}
    assert (launcher["phase"], told) == ("Running", {"PodScheduled": "True", "Ready": "True"})


@pytest.fixture
def kube_scheduler(control_plane: ControlPlane) -> Iterator[None]:
    program = assets_or_skip("kube-scheduler") / "kube-scheduler"
    flags = ("--kubeconfig", str(control_plane.kubeconfig(ADMIN)), "--leader-elect=false", "--secure-port", "0")
    with subprocess.Popen([program, *flags], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        yield
        process.kill()


WAITING = {"virt-launcher-gpu-fedora-7ad51": "", "virt-launcher-rhel9-gpu-vm-efb0c": ""}


def places(api: Api) -> dict[str, str]:
    """The node of each launcher that waits for a card."""
    return {
        one["metadata"]["name"]: one["spec"].get("nodeName", "")
        for one in api.list(PODS)
        if one["metadata"]["name"] in WAITING
    }


def with_the_real_scheduler(real: Real, url: str) -> Played:
    return opens(real, url, more=[one for one in KUBEVIRT if not isinstance(one, Scheduler)])


def test_the_real_scheduler_decides_as_the_playgrounds(real: Real, kube_scheduler: None, redis_url: str) -> None:
    play = with_the_real_scheduler(real, redis_url)
    until_the_kubelet_lives = TO_THE_VMS.index(START)
    for move in TO_THE_VMS[:until_the_kubelet_lives]:
        play.do(move)
        assert places(play.api) == WAITING, move
    play.do(START)
    here = {**WAITING, "virt-launcher-gpu-fedora-7ad51": NODE}
    wait_until("the scheduler has bound the launcher", lambda: places(play.api) == here, 60)
    for move in TO_THE_VMS[until_the_kubelet_lives + 1 :]:
        play.do(move)
    has_ended_with_the_vms(play)


def test_the_real_scheduler_leaves_them_where_cuda_keeps_the_card(
    real: Real, kube_scheduler: None, redis_url: str
) -> None:
    play = with_the_real_scheduler(real, redis_url)
    for move in (*ESSENTIAL, LATER, LATER, LATER):
        play.do(move)
        assert places(play.api) == WAITING, move
    # Without the controller that takes the taint of a new node, this node is the only one without a taint.
    wait_until("the scheduler has looked at the node", lambda: ": 1 Insufficient nvidia.com/GB" in said(play.api), 60)
    assert (places(play.api), word(play)) == (WAITING, ("ErrorUnschedulable", False))


def said(api: Api) -> str:
    """What the scheduler says of the launcher that waits for this node's card."""
    (pod,) = [one for one in api.list(PODS) if one["metadata"]["name"].startswith("virt-launcher-gpu-fedora")]
    return str(next(one["message"] for one in pod["status"]["conditions"] if one["type"] == "PodScheduled"))


def test_where_nobody_schedules_or_starts_them_the_plan_does_not_end(real: Real, redis_url: str) -> None:
    play = opens(real, redis_url)
    for move in TO_THE_VMS:
        play.do(move)
    assert (play.plan().state, play.states()) == (PlanState.ACTIVE, {**DONE, "vms-scheduled": "awaiting"})


def test_where_cuda_keeps_the_card_they_stay_down_as_was_chosen(real: Real, redis_url: str) -> None:
    play = opens(real, redis_url, more=KUBEVIRT)
    for move in (*ESSENTIAL, LATER, LATER, LATER):
        play.do(move)
        assert word(play) == ("ErrorUnschedulable", False), move
    assert (play.plan().state, play.states()["vms-down"]) == (PlanState.DONE, "verified")
