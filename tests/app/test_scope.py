"""Axes: kind of reference, there or gone, which trace it left, what could not be read."""

from __future__ import annotations

from typing import Any

import pytest

from bot.app.ports import NoSuchObject
from bot.app.scope import is_unseen, stand_in, widen
from bot.model.refs import Ref
from bot.model.sections import NotInstalled, Section
from bot.model.snapshot import TYPES, Snapshot
from tests.support import replacement
from tests.support.clusters import FAILED, NOW
from tests.support.objects import decoded, event, node, thing

KARPENTER = "karpenter.sh/v1"
POOL = thing("NodePool", "gpu", api=KARPENTER)
DEPLOYMENT = thing("Deployment", "trainer", "ml", api="apps/v1")
DAEMONSET = thing("DaemonSet", "plugin", "gpu-operator", api="apps/v1")

#: What followed a node that is gone.
NEW = (replacement.node("new", age=9),)


def claim(name: str, on: str) -> dict[str, Any]:
    labels = {"karpenter.sh/nodepool": "gpu"}
    return thing("NodeClaim", name, api=KARPENTER, meta={"labels": labels}, status={"nodeName": on})


def pod(name: str, namespace: str, owner: str = "", kind: str = "ReplicaSet", on: str = "") -> dict[str, Any]:
    owners = [{"kind": kind, "name": owner}] if owner else []
    return thing("Pod", name, namespace, meta={"ownerReferences": owners}, spec={"nodeName": on})


def snapshot(*things: dict[str, Any], **sections: Any) -> Snapshot:
    whole: dict[str, Any] = {section.value: () for section in Section}
    for section, kind in TYPES.items():
        whole[section.value] = tuple(decoded(one, kind) for one in things if one["kind"] == kind.__name__)
    return Snapshot(at=NOW, **{**whole, **sections})


def refs(text: str) -> tuple[Ref, ...]:
    return tuple(Ref.parse(one) for one in text.split())


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("pod/gpu-operator/plugin-aaaaa", "pod/gpu-operator/plugin-aaaaa ds/gpu-operator/plugin node/a"),
        ("ds/gpu-operator/plugin", "ds/gpu-operator/plugin node/a node/b"),
        ("pod/gpu-operator/plugin-ccccc", "pod/gpu-operator/plugin-ccccc ds/gpu-operator/plugin node/a node/b"),
    ],
    ids=["one pod", "all of them", "one that is gone"],
)
def test_the_nodes_of_other_pods_belong_to_the_question_about_their_owner_only(asked: str, answer: str) -> None:
    plugins = [pod(f"plugin-{name * 5}", "gpu-operator", "plugin", "DaemonSet", on=name) for name in "ab"]
    gone = event("Pod", "plugin-ccccc", "gpu-operator", "Stopping container plugin")
    there = snapshot(DAEMONSET, *plugins, node("a"), node("b"), gone)
    assert set(widen(refs(asked), there, frozenset(refs("node/a node/b")))) == set(refs(answer))


@pytest.mark.parametrize(
    ("asked", "things", "answer"),
    [
        ("cluster", [], "cluster"),
        ("node/a", [node("a"), claim("gpu-1", "a"), POOL], "node/a"),
        ("node/a", [claim("gpu-1", "a"), POOL], "node/a nodeclaim/gpu-1 nodepool/gpu"),
        (
            "node/a",
            [event("Node", "a", "", 'NodePool "gpu" has consolidation policy WhenEmpty'), POOL],
            "node/a nodepool/gpu",
        ),
        ("node/a", [event("Node", "a", "", "Instance is terminating"), POOL], "node/a nodepool/gpu"),
        ("node/a", [pod("p", "ml", on="a")], "node/a"),
        ("nodeclaim/gpu-1", [claim("gpu-1", "a"), node("a"), POOL], "nodeclaim/gpu-1 node/a nodepool/gpu"),
        ("nodeclaim/gpu-9mtks", [event("NodeClaim", "gpu-9mtks", "", "x"), POOL], "nodeclaim/gpu-9mtks nodepool/gpu"),
        ("nodepool/gpu", [claim("gpu-1", "a"), node("a")], "nodepool/gpu"),
        ("nodepool/gpu", [POOL], "nodepool/gpu"),
        ("deploy/ml/trainer", [DEPLOYMENT], "deploy/ml/trainer"),
        ("pod/ml/trainer-74c76b66f8-6k92l", [DEPLOYMENT, event("Pod", "trainer-74c76b66f8-6k92l", "ml", "x")],
         "pod/ml/trainer-74c76b66f8-6k92l deploy/ml/trainer"),
        (
            "pod/ml/trainer-74c76b66f8-6k92l",
            [DEPLOYMENT, event("ReplicaSet", "trainer-74c76b66f8", "ml", "Created pod: trainer-74c76b66f8-6k92l")],
            "pod/ml/trainer-74c76b66f8-6k92l deploy/ml/trainer",
        ),
        (
            "pod/ml/trainer-74c76b66f8-6k92l",
            [
                POOL,
                claim("gpu-1", "a"),
                event("Pod", "trainer-74c76b66f8-6k92l", "ml", "Successfully assigned ml/trainer-74c to a"),
            ],
            "pod/ml/trainer-74c76b66f8-6k92l node/a nodeclaim/gpu-1 nodepool/gpu",
        ),
        (
            "pod/gpu-operator/plugin-x1y2z",
            [DAEMONSET, pod("plugin-x1y2z", "gpu-operator", "plugin", "DaemonSet")],
            "pod/gpu-operator/plugin-x1y2z ds/gpu-operator/plugin",
        ),
        ("job/ml/train", [pod("train-x1y2z", "ml", "train", "Job")], "job/ml/train"),
        ("job/ml/train", [event("Job", "train", "ml", "x")], "job/ml/train"),
        ("vm/vms/a", [thing("VirtualMachineInstance", "a", "vms", api="kubevirt.io/v1", status={"nodeName": "b"})],
         "vm/vms/a node/b"),
    ],
)  # fmt: skip
def test_what_is_gone_is_answered_from_what_it_left(asked: str, things: list[dict[str, Any]], answer: str) -> None:
    assert widen(refs(asked), snapshot(*things)) == refs(answer)


@pytest.mark.parametrize(
    "asked",
    ["node/a", "vm/vms/a", "pod/ml/a", "nodeclaim/a", "nodepool/a", "deploy/ml/a", "job/ml/a", "ds/ml/a"],
)
def test_what_never_was_is_said(asked: str) -> None:
    others = [node("b"), POOL, DEPLOYMENT, event("Node", "b", "", "x")]
    with pytest.raises(NoSuchObject, match=f"^{asked}: no such object"):
        widen(refs(asked), snapshot(*others))


@pytest.mark.parametrize("unread", [Section.EVENTS, Section.PODS, Section.NODES])
def test_what_cannot_be_looked_up_is_not_denied(unread: Section) -> None:
    assert widen(refs("node/a"), snapshot(**{unread.value: FAILED})) == refs("node/a")


def test_a_section_with_a_gap_denies_nothing() -> None:
    assert widen(refs("node/a"), snapshot(gaps={Section.NODES: FAILED})) == refs("node/a")


def test_a_kind_that_the_cluster_does_not_serve_is_said() -> None:
    with pytest.raises(NoSuchObject, match="does not serve virtualmachines"):
        widen(refs("vm/vms/a"), snapshot(virtualmachines=NotInstalled()))


@pytest.mark.parametrize(
    ("faulty", "answer"),
    [("", "deploy/ml/trainer"), ("node/a", "deploy/ml/trainer node/a"), ("node/b", "deploy/ml/trainer")],
)
def test_a_faulty_node_belongs_to_the_question_about_what_runs_on_it(faulty: str, answer: str) -> None:
    runs = pod("trainer-74c76b66f8-6k92l", "ml", "trainer-74c76b66f8", on="a")
    found = snapshot(DEPLOYMENT, runs, node("a"), node("b"))
    assert widen(refs("deploy/ml/trainer"), found, frozenset(refs(faulty))) == refs(answer)


@pytest.mark.parametrize("name", ["trainer-2-74c76b66f8-6k92l", "other-74c76b66f8-6k92l", "trainer"])
def test_a_deployment_of_another_name_is_no_owner(name: str) -> None:
    found = snapshot(DEPLOYMENT, event("Pod", name, "ml", "x"))
    assert widen(refs(f"pod/ml/{name}"), found) == refs(f"pod/ml/{name}")


@pytest.mark.parametrize(
    ("asked", "things", "answer"),
    [
        ("cluster", [], False),
        ("node/a", [node("a")], False),
        ("node/a", [POOL], True),
        ("job/ml/train", [pod("train-x1y2z", "ml", "train", "Job")], False),
        ("job/ml/train", [event("Job", "train", "ml", "x"), pod("other-x1y2z", "ml", "other", "Job")], True),
    ],
    ids=["all of it", "there", "gone", "a kind that is not read, by its pods", "a kind that is not read, without"],
)
def test_nobody_could_look_at_it(asked: str, things: list[dict[str, Any]], answer: bool) -> None:
    assert is_unseen(refs(asked)[0], snapshot(*things)) is answer


@pytest.mark.parametrize(
    ("asked", "sections", "answer"),
    [
        ("node/gone-0", {}, "nodepool/gpu"),
        ("nodeclaim/gpu-0aaaa", {}, "nodepool/gpu"),
        ("node/new", {}, "node/new"),
        ("node/gone-0", {"nodes": (replacement.node("first", age=60),)}, "node/gone-0"),
        ("node/gone-0", {"nodes": (replacement.node("gone-0", deleting=1), *NEW)}, "node/gone-0"),
        ("node/gone-0", {"nodes": FAILED}, "node/gone-0"),
        ("node/gone-0", {"gaps": {Section.NODES: FAILED}}, "node/gone-0"),
        ("node/gone-0", {"events": FAILED}, "node/gone-0"),
        ("nodeclaim/gpu-0aaaa", {"nodeclaims": FAILED}, "nodeclaim/gpu-0aaaa"),
        ("node/gone-0", {"nodepools": FAILED}, "node/gone-0"),
        ("node/gone-0", {"nodepools": ()}, "node/gone-0"),
        ("node/other", {}, "node/other"),
        ("pod/ml/gone-0", {}, "pod/ml/gone-0"),
    ],
    ids=[
        "node", "claim", "there", "nothing followed", "going", "nodes unread", "nodes in part", "events unread",
        "claims unread", "pools unread", "pool gone", "never heard of", "no machine",
    ],
)  # fmt: skip
def test_the_pool_stands_for_a_machine_that_is_seen_to_be_replaced(
    asked: str, sections: dict[str, Any], answer: str
) -> None:
    events = (*replacement.old_dialect([10]), *replacement.new_dialect([10]))
    claims = (replacement.claim("gpu-zzzzz", "new", age=9),)
    there = replacement.cluster(**{"nodes": NEW, "nodeclaims": claims, "events": events, **sections})
    assert str(stand_in(refs(asked)[0], there)) == answer
