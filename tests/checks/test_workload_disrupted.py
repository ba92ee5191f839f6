"""Axes: pods told of by events, by their age, or both; what owns them; a loop or none."""

import pytest

from bot.checks import workload_disrupted
from bot.model.snapshot import NOT_COLLECTED
from tests.support.replacement import ask, claim, cluster, codes, event, found, mark, node, old_dialect, pod

CHECK = workload_disrupted.CHECK
LOOP = old_dialect((42, 30, 18, 6.4))
NOW = (node("now", mark(), age=6),)
DISRUPTED = tuple(
    event("Pod", f"trainer-5d9f7c6b84-{name}", "Disrupted", minutes, "Deleting the pod", "training")
    for name, minutes in (("k2vqx", 30), ("9wz4t", 18))
)


def test_events_of_pods_that_are_gone_lead_to_their_deployment() -> None:
    answers = ask(CHECK, cluster(nodes=NOW, events=(*LOOP, *DISRUPTED), pods=NOT_COLLECTED))
    assert codes(answers) == {("workload-disrupted", "deploy/training/trainer")}
    assert len(found(answers, "workload-disrupted").refs["pod"]) == 2


def test_a_pod_younger_than_the_loop_is_one_that_came_again() -> None:
    answers = ask(CHECK, cluster(nodes=NOW, events=LOOP, pods=(pod("trainer-5d9f7c6b84-tq8rz", "now", age=6),)))
    assert codes(answers) == {("workload-disrupted", "deploy/training/trainer")}


@pytest.mark.parametrize(
    "quiet",
    [
        pod("trainer-5d9f7c6b84-tq8rz", "elsewhere", age=6),
        pod("trainer-5d9f7c6b84-tq8rz", "now", age=90),
        pod("agent-tq8rz", "now", age=6, owner="DaemonSet", owner_name="agent"),
        pod("bare", "now", age=6, owner=""),
    ],
    ids=["other node", "older than the loop", "of the node itself", "nobody brings it back"],
)
def test_other_pods_are_not_its_doing(quiet: object) -> None:
    assert ask(CHECK, cluster(nodes=NOW, events=LOOP, pods=(quiet,))) == []


def test_a_job_is_told_by_its_owner() -> None:
    one = pod("sweep-x7k2p", "now", age=6, owner="Job", owner_name="sweep")
    assert codes(ask(CHECK, cluster(nodes=NOW, events=LOOP, pods=(one,)))) == {
        ("workload-disrupted", "job/training/sweep")
    }


def test_without_a_loop_nothing_is_told() -> None:
    snapshot = cluster(nodes=NOW, nodeclaims=(claim("gpu-aaaaa", "now"),), events=DISRUPTED)
    assert ask(CHECK, snapshot) == []


def test_eviction_by_others_is_not_its_doing() -> None:
    told = event(
        "Pod", "trainer-5d9f7c6b84-k2vqx", "Evicted", 9, "node was low on memory", "training", source="kubelet"
    )
    assert ask(CHECK, cluster(nodes=NOW, events=(*LOOP, told))) == []
