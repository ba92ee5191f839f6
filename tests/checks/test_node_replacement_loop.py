"""Axes: how many ended, by which dialect of events or none; why they ended; followed or not; how far apart; since."""

from datetime import timedelta

import pytest

from bot.checks import node_replacement_loop
from bot.checks.views.loop import span
from bot.model.findings import Kind
from bot.model.objects import NodePool, ObjectMeta
from bot.model.refs import Ref
from bot.model.sections import NotInstalled
from bot.model.snapshot import NOT_COLLECTED, Snapshot
from tests.support.replacement import (
    ago,
    ask,
    blinds,
    claim,
    cluster,
    codes,
    diagnosed,
    event,
    found,
    mark,
    new_dialect,
    node,
    old_dialect,
)

CHECK = node_replacement_loop.CHECK
LOOP = "node-replacement-loop"
NOW = (node("now", mark(), age=6),)
CLAIM = (claim("gpu-zzzzz", "now", age=6.2),)


def loops(snapshot: Snapshot) -> bool:
    return (LOOP, "nodepool/gpu") in codes(ask(CHECK, snapshot))


@pytest.mark.parametrize("events", [old_dialect((42, 30, 18, 6)), new_dialect((42, 30, 18, 6))], ids=["1.4", "1.14"])
def test_both_dialects_of_events_tell_the_loop(events: object) -> None:
    answers = ask(CHECK, cluster(nodes=NOW, nodeclaims=CLAIM, events=events))
    one = found(answers, "replacements")
    assert one.kind is Kind.FACT
    assert (one.values["count"], one.values["interval"], one.values["toleration"]) == (4, "12m", "10m")
    assert ("interval-differs", "nodepool/gpu") not in codes(answers)


def test_nodeclaims_alone_tell_it_where_several_go_at_once() -> None:
    claims = (claim("gpu-aaaaa", age=16, deleting=5), claim("gpu-bbbbb", age=15, deleting=3), claim("gpu-ccccc", age=2))
    assert loops(cluster(nodeclaims=claims))


def test_one_replacement_and_a_successor_with_the_same_mark() -> None:
    nodes = (node("old", mark(minutes=12), age=13, deleting=2), node("new", mark(minutes=0.5), age=1.8))
    assert loops(cluster(nodes=nodes))


@pytest.mark.parametrize("successor", [node("new", age=1.8), node("new", mark(reason="NvidiaXID79Error"), age=1.8)])
def test_one_replacement_alone_is_none(successor: object) -> None:
    assert not loops(cluster(nodes=(node("old", mark(minutes=12), age=13, deleting=2), successor)))


def test_scale_up_is_none() -> None:
    assert not loops(cluster(nodes=tuple(node(f"n{i}", age=i) for i in range(5))))


def test_scale_to_nothing_is_none() -> None:
    claims = tuple(claim(f"gpu-{i}aaaa", age=60, deleting=3) for i in range(3))
    assert not loops(cluster(nodeclaims=claims))


@pytest.mark.parametrize(
    "why", ["Underutilized/Replace", "Empty/Delete", "Drifted/Replace", "Drift/Delete", "Expired/Delete"]
)
def test_an_end_that_karpenter_chose_is_none(why: str) -> None:
    chosen = tuple(event("Node", f"gone-{i}", "DisruptionTerminating", 20, f"Disrupting Node: {why}") for i in range(3))
    assert not loops(cluster(nodes=NOW, events=(*old_dialect((42, 30, 18), marks=False), *chosen)))


def test_a_spot_interruption_is_none() -> None:
    gone = tuple(event("Node", f"gone-{i}", "SpotInterrupted", 20, "Spot interruption warning") for i in range(3))
    assert not loops(cluster(nodes=NOW, events=(*old_dialect((42, 30, 18), marks=False), *gone)))


def test_replacements_hours_apart_are_none() -> None:
    assert not loops(cluster(nodes=NOW, events=old_dialect((300, 180, 6.4), marks=False)))


def test_a_loop_that_ended_is_none() -> None:
    assert not loops(cluster(nodes=(node("now", age=60),), events=old_dialect((84, 72, 60))))


def test_two_pools_keep_their_machines_apart() -> None:
    pools = (NodePool(metadata=ObjectMeta(name="gpu")), NodePool(metadata=ObjectMeta(name="cpu")))
    events = (*new_dialect((42, 30, 18, 6.4)), *new_dialect((17,), pool="cpu"))
    nodes = (*NOW, node("c1", pool="cpu", age=16))
    answers = ask(CHECK, cluster(nodes=nodes, events=events, nodepools=pools))
    assert {subject for code, subject in codes(answers) if code == LOOP} == {"nodepool/gpu"}


def test_the_removal_of_a_node_of_nobody_counts_for_no_pool() -> None:
    removed = tuple(event("Node", f"x{i}", "RemovingNode", 40 - 12 * i, source="node-controller") for i in range(3))
    assert not loops(cluster(nodes=NOW, events=removed))


def test_every_generation_leads_to_the_loop() -> None:
    snapshot = cluster(nodes=NOW, nodeclaims=CLAIM, events=old_dialect((42, 30, 18, 6.4)))
    one = found(ask(CHECK, snapshot), LOOP)
    assert {ref.name for ref in one.refs["node"]} == {"gone-0", "gone-1", "gone-2", "gone-3", "now"}
    assert one.onset is not None
    assert one.onset.at == ago(42)
    for name in ("gone-0", "now"):
        assert diagnosed(snapshot, Ref("node", name)).roots[0].finding.code == "dcgm-library-missing"


def test_an_interval_that_the_policy_does_not_explain_is_told() -> None:
    answers = ask(CHECK, cluster(nodes=NOW, events=old_dialect((6.9, 6.6, 6.3))))
    assert found(answers, "interval-differs").values == {
        "interval": "18s",
        "interval_seconds": 18,
        "toleration": "10m",
        "toleration_seconds": 600,
    }


def test_capacity_is_ruled_out_by_launched_claims_only() -> None:
    events = old_dialect((42, 30, 18, 6.4))
    lack = event("NodeClaim", "gpu-yyyyy", "InsufficientCapacityError", 9, "NodeClaim gpu-yyyyy event: ...")
    capacity = ("capacity", "nodepool/gpu")
    assert capacity in codes(ask(CHECK, cluster(nodes=NOW, nodeclaims=CLAIM, events=events)))
    assert capacity not in codes(ask(CHECK, cluster(nodes=NOW, nodeclaims=CLAIM, events=(*events, lack))))
    assert capacity not in codes(ask(CHECK, cluster(nodes=NOW, nodeclaims=NOT_COLLECTED, events=events)))


@pytest.mark.parametrize("section", ["nodeclaims", "events"])
def test_without_a_history_it_cannot_tell(section: str) -> None:
    (blind,) = blinds(ask(CHECK, cluster(nodes=NOW, **{section: NOT_COLLECTED})))
    assert blind.codes == (LOOP,)


def test_a_cluster_without_karpenter_is_not_asked() -> None:
    gone = NotInstalled()
    assert (
        ask(CHECK, cluster(nodes=(node("n1", pool=""),), nodeclaims=gone, nodepools=gone, events=NOT_COLLECTED)) == []
    )
    unknown = cluster(nodes=(node("n1", pool=""),), nodeclaims=NOT_COLLECTED, nodepools=NOT_COLLECTED)
    assert ask(CHECK, unknown) == []


def test_without_nodes_the_loop_is_the_root_with_its_cause_not_seen() -> None:
    diagnosis = diagnosed(cluster(nodes=NOT_COLLECTED, events=new_dialect((42, 30, 18, 6.4)), nodeclaims=CLAIM))
    (root,) = diagnosis.roots
    assert (root.finding.code, root.cause_seen) == (LOOP, False)


@pytest.mark.parametrize(
    ("length", "text"),
    [(21, "21s"), (60, "1m"), (710, "11m50s"), (3600, "1h"), (3720, "1h2m"), (0, "0s")],
)
def test_a_length_of_time_reads_as_kubernetes_writes_it(length: int, text: str) -> None:
    assert span(timedelta(seconds=length)) == text
