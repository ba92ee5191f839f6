"""What is predicted beside what Karpenter's rule does. Axes: the pool's size; how many are marked and go; the gate.

The rule is played here as its source has it (pkg/controllers/node/health/controller.go), node by node.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.model.objects import Node, NodeClaim
from bot.model.refs import Ref
from bot.remedy.predicting import Prediction, predict
from tests.support.replacement import AT, claim, cluster, diagnosed, karpenter, mark, node

POOL = Ref("nodepool", "gpu")


def pool_of(size: int, marked: int, going: int) -> dict[str, tuple[Node, ...] | tuple[NodeClaim, ...]]:
    """A pool; those whose deletion runs are marked too, and the others have been for longer than is tolerated."""
    nodes = [node(f"n{one}", mark(minutes=12)) for one in range(going)]
    nodes += [node(f"n{going + one}", mark(minutes=11)) for one in range(marked)]
    nodes += [node(f"n{one}") for one in range(going + marked, size)]
    gone = [0.5 if one < going else None for one in range(size)]
    claims = [claim(f"gpu-{one}aaaa", f"n{one}", deleting=since, forced=True) for one, since in enumerate(gone)]
    return {"nodes": tuple(nodes), "nodeclaims": tuple(claims)}


def predicted(size: int, marked: int, going: int, *, gate: str = "true", spares: bool = False) -> Prediction:
    snapshot = cluster(**pool_of(size, marked, going), deployments=(karpenter(f"NodeRepair={gate}"),))
    diagnosis = diagnosed(snapshot)
    (root,) = [one.finding for one in diagnosis.roots]
    assert root.subject == POOL
    return predict(diagnosis, root.key, spares=spares)


def played(size: int, marked: int, going: int) -> tuple[int, int]:
    """(deletions that begin, nodes that stay marked); each that goes is followed by a healthy node."""
    begun = 0
    while marked or going:
        if marked and marked + going <= -(-size // 5):
            marked, going, begun = marked - 1, going + 1, begun + 1
        elif going:
            going -= 1
        else:
            break
    return begun, marked


@pytest.mark.parametrize(
    ("size", "marked", "going", "expected"),
    [
        (1, 1, 0, {"last-replacements": 1}),
        (1, 0, 1, {"last-replacements": 0, "running-replacements": 1}),
        (2, 1, 0, {"last-replacements": 1}),
        (2, 1, 1, {"last-replacements": 1, "waiting-replacements": 1, "running-replacements": 1}),
        (2, 0, 2, {"last-replacements": 0, "running-replacements": 2}),
        (2, 2, 0, {"last-replacements": 0, "stuck-nodes": 2}),
        (5, 1, 0, {"last-replacements": 1}),
        (5, 1, 2, {"last-replacements": 1, "waiting-replacements": 1, "running-replacements": 2}),
        (5, 2, 1, {"last-replacements": 0, "running-replacements": 1, "stuck-nodes": 2}),
        (8, 1, 1, {"last-replacements": 1, "running-replacements": 1}),
        (8, 2, 0, {"last-replacements": 2}),
        (8, 2, 2, {"last-replacements": 2, "waiting-replacements": 2, "running-replacements": 2}),
        (8, 3, 1, {"last-replacements": 0, "running-replacements": 1, "stuck-nodes": 3}),
    ],
)
def test_the_last_replacements_of_a_pool(size: int, marked: int, going: int, expected: dict[str, int]) -> None:
    found = predicted(size, marked, going)
    assert dict(found.predicted) == expected
    assert len(found.due) == expected["last-replacements"] + going


@pytest.mark.parametrize("size", [1, 2, 3, 5, 6, 8, 11, 16])
@pytest.mark.parametrize("going", [0, 1, 2])
def test_it_is_what_the_rule_does(size: int, going: int) -> None:
    for marked in range(size - going + 1):
        if marked + going:
            begun, left = played(size, marked, going)
            found = dict(predicted(size, marked, going).predicted)
            assert (found["last-replacements"], found.get("stuck-nodes", 0)) == (begun, left), (size, marked, going)


@pytest.mark.parametrize(
    ("marked", "going", "expected"),
    [
        (1, 0, {"last-replacements": 0, "held-replacements": 1}),
        (1, 1, {"last-replacements": 0, "running-replacements": 1, "held-replacements": 1}),
        (2, 0, {"last-replacements": 0, "stuck-nodes": 2}),
    ],
)
def test_with_the_gate_off_none_goes_until_it_is_on_again(marked: int, going: int, expected: dict[str, int]) -> None:
    assert dict(predicted(2, marked, going, gate="false").predicted) == expected


def test_an_option_that_spares_them_saves_all_but_those_that_go() -> None:
    assert dict(predicted(2, 1, 1, spares=True).predicted) == {"last-replacements": 0, "running-replacements": 1}
    assert dict(predicted(2, 2, 0, spares=True).predicted) == {"last-replacements": 0}


def test_a_successor_that_boots_holds_back_for_a_moment_only() -> None:
    """The AWS policy names Ready=False, which every node begins with."""
    booting = node("new", mark(kind="Ready", minutes=0.5), age=0.5)
    snapshot = cluster(nodes=(node("n1", mark(minutes=11)), booting), deployments=(karpenter(),))
    diagnosis = diagnosed(snapshot)
    found = predict(diagnosis, diagnosis.roots[0].finding.key, spares=False)
    assert dict(found.predicted) == {"last-replacements": 1, "waiting-replacements": 1}
    assert dict(found.due) == {"node/n1": AT - timedelta(minutes=1)}
