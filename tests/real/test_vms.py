"""Incident A on a real API server, with the card for the VMs: from the choice to the plan's end.

Scheduler and KubeVirt are the playground's; what a binding makes of a pod is the server's.
"""

from __future__ import annotations

import pytest

from bot.playground.physics.api import PODS
from bot.remedy.plan import PlanState
from tests.app.repair.played import NODE
from tests.app.repair.test_orders import ESSENTIAL, LATER
from tests.app.repair.test_vms import DONE, TO_THE_VMS, has_ended_with_the_vms, word
from tests.app.repair.theatre import KUBEVIRT
from tests.real.test_label_step import opens
from tests.support.redis import redis_server, redis_url
from tests.support.servers import Real

__all__ = ["redis_server", "redis_url"]
pytestmark = pytest.mark.real


def test_the_vms_get_the_card_to_the_plans_end(real: Real, redis_url: str) -> None:
    play = opens(real, redis_url, more=KUBEVIRT)
    for move in TO_THE_VMS:
        play.do(move)
    has_ended_with_the_vms(play)
    on_the_node = {one["metadata"]["name"]: one for one in play.api.list(f"{PODS}?fieldSelector=spec.nodeName={NODE}")}
    launcher = on_the_node["virt-launcher-gpu-fedora-7ad51"]["status"]
    told = {one["type"]: one["status"] for one in launcher["conditions"]}
    assert (launcher["phase"], told) == ("Running", {"PodScheduled": "True", "Ready": "True"})


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
