"""Axes: the pool's size, how many are unhealthy, pool or whole cluster; the event's age and wording."""

import pytest

from bot.checks import repair_breaker
from bot.checks.views.repair import Breaker
from bot.model.findings import Kind, Severity
from tests.support.replacement import (
    ask,
    claim,
    cluster,
    codes,
    diagnosed,
    event,
    found,
    karpenter,
    mark,
    node,
    old_dialect,
)

CHECK = repair_breaker.CHECK


@pytest.mark.parametrize(
    ("nodes", "allowed"),
    [(0, 0), (1, 1), (2, 1), (5, 1), (6, 2), (10, 2), (11, 3), (15, 3), (16, 4), (20, 4), (100, 20), (101, 21)],
)
def test_twenty_per_cent_rounded_up(nodes: int, allowed: int) -> None:
    assert Breaker(nodes=nodes, unhealthy=allowed).allowed == allowed
    assert Breaker(nodes=nodes, unhealthy=allowed).passes
    assert not Breaker(nodes=nodes, unhealthy=allowed + 1).passes


def test_it_counts_the_pool_and_whatever_has_a_row() -> None:
    nodes = (node("n1", mark()), node("n2"), node("n3", mark(kind="KernelReady")), node("other", mark(), pool="cpu"))
    one = found(ask(CHECK, cluster(nodes=nodes)), "repair-breaker")
    values = {str(one.subject): dict(one.values) for one in ask(CHECK, cluster(nodes=nodes)) if hasattr(one, "subject")}
    assert one.kind is Kind.FACT
    assert values["nodepool/gpu"] == {"nodes": 3, "unhealthy": 2, "allowed": 1}
    assert values["nodepool/cpu"] == {"nodes": 1, "unhealthy": 1, "allowed": 1}


def test_a_nodeclaim_without_a_pool_counts_the_whole_cluster() -> None:
    nodes = (node("n1", mark(), pool="", owner="lonely"), *(node(f"m{i}", pool="") for i in range(6)))
    answers = ask(CHECK, cluster(nodes=nodes, nodeclaims=(claim("lonely", "n1", pool=""),)))
    assert dict(found(answers, "repair-breaker").values) == {"nodes": 7, "unhealthy": 1, "allowed": 2}


@pytest.mark.parametrize(("minutes", "kinds"), [(2, [Kind.FACT]), (30, [])], ids=["fresh", "over"])
def test_a_fresh_event_about_nodes_that_all_look_well_is_a_fact(minutes: float, kinds: list[Kind]) -> None:
    told = event("Node", "n1", "NodeRepairBlocked", minutes, "more then 20% nodes are unhealthy in the nodepool")
    snapshot = cluster(nodes=(node("n1"), node("n2")), events=(told,), deployments=(karpenter(),))
    diagnosis = diagnosed(snapshot)
    assert diagnosis.verdict == "healthy"
    assert [one.kind for one in diagnosis.findings if one.code == "node-repair-blocked"] == kinds


@pytest.mark.parametrize("word", ["then", "than"])
def test_a_fresh_event_says_that_repair_is_blocked(word: str) -> None:
    told = event("Node", "n1", "NodeRepairBlocked", 2, f"more {word} 20% nodes are unhealthy in the nodepool")
    snapshot = cluster(nodes=tuple(node(f"n{i}", mark()) for i in range(4)), events=(told,), deployments=(karpenter(),))
    one = found(ask(CHECK, snapshot), "node-repair-blocked")
    assert (str(one.subject), one.kind, one.severity) == ("nodepool/gpu", Kind.FAULT, Severity.WARNING)
    diagnosis = diagnosed(snapshot)
    assert [root.finding.code for root in diagnosis.roots] == ["dcgm-library-missing"]
    assert ("gpu-condition-false", "node-repair-blocked") in {(x.cause[0], x.effect[0]) for x in diagnosis.links}


def test_blocked_in_the_cluster_is_about_the_cluster() -> None:
    told = event("Node", "n1", "NodeRepairBlocked", 2, "more then 20% nodes are unhealthy in the cluster")
    answers = ask(CHECK, cluster(nodes=(node("n1", mark()),), events=(told,)))
    assert ("node-repair-blocked", "cluster") in codes(answers)


def test_an_event_is_over_once_a_node_was_taken() -> None:
    told = event("Node", "gone-1", "NodeRepairBlocked", 18, "more then 20% nodes are unhealthy in the nodepool")
    snapshot = cluster(nodes=(node("n1", mark()),), events=(told, *old_dialect((25, 13))))
    one = found(ask(CHECK, snapshot), "node-repair-blocked")
    assert (one.kind, one.severity) == (Kind.FACT, Severity.INFO)


def test_a_pool_in_no_trouble_is_quiet() -> None:
    told = event("Node", "n1", "NodeRepairBlocked", 40, "more then 20% nodes are unhealthy in the nodepool")
    assert ask(CHECK, cluster(nodes=(node("n1"),), events=(told,))) == []
