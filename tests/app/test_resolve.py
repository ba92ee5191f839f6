"""Axes: full reference or bare name, kind given or not, how many bear the name, what could not be read."""

from __future__ import annotations

import pytest

from bot.app.resolve import Resolved, resolve
from bot.model.refs import MalformedReference, Ref
from bot.model.sections import Section
from tests.support.clusters import FAILED, MemoryCluster
from tests.support.objects import node, thing

VMS = "kubevirt.io/v1"
THINGS = (
    node("omen2"),
    node("twin"),
    thing("VirtualMachine", "gpu-fedora", "vms", api=VMS),
    thing("VirtualMachine", "twin", "vms", api=VMS),
    thing("VirtualMachine", "web", "a", api=VMS),
    thing("VirtualMachine", "web", "b", api=VMS),
    thing("NodePool", "gpu", api="karpenter.sh/v1"),
    thing("Pod", "trainer-x", "ml"),
)


def refs(text: str) -> tuple[Ref, ...]:
    return tuple(Ref.parse(one) for one in text.split())


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("omen2", "node/omen2"),
        ("gpu-fedora", "vm/vms/gpu-fedora"),
        ("vms/gpu-fedora", "vm/vms/gpu-fedora"),
        ("vm gpu-fedora", "vm/vms/gpu-fedora"),
        ("vm/gpu-fedora", "vm/vms/gpu-fedora"),
        ("vm vms/gpu-fedora", "vm/vms/gpu-fedora"),
        ("node omen2", "node/omen2"),
        ("Node omen9", "node/omen9"),
        ("trainer-x", "pod/ml/trainer-x"),
        ("gpu", "nodepool/gpu"),
        ("node twin", "node/twin"),
        ("b/web", "vm/b/web"),
        ("cluster", "cluster"),
        ("omen2 gpu-fedora omen2", "node/omen2 vm/vms/gpu-fedora"),
        ("`omen2`?", "node/omen2"),
    ],
)
def test_words_that_mean_one_thing(words: str, found: str) -> None:
    answer = resolve(MemoryCluster(*THINGS), words)
    assert answer == Resolved(refs=refs(found))


def test_a_sentence_may_stand_around_a_name() -> None:
    answer = resolve(MemoryCluster(*THINGS), "why is omen2 down?")
    assert (answer.refs, answer.unmatched) == (refs("node/omen2"), ("why", "is", "down"))


@pytest.mark.parametrize(
    ("words", "candidates"),
    [("twin", "node/twin vm/vms/twin"), ("web", "vm/a/web vm/b/web"), ("vm web", "vm/a/web vm/b/web")],
)
def test_several_matches_ask_back(words: str, candidates: str) -> None:
    assert resolve(MemoryCluster(*THINGS), words) == Resolved(candidates=refs(candidates))


@pytest.mark.parametrize(
    ("words", "unmatched"), [("nothing", ("nothing",)), ("vm nothing", ("vm/nothing",)), ("x/web", ("x/web",))]
)
def test_a_name_that_nobody_bears(words: str, unmatched: tuple[str, ...]) -> None:
    assert resolve(MemoryCluster(*THINGS), words) == Resolved(unmatched=unmatched)


@pytest.mark.parametrize("words", ["", "  ", "?"])
def test_no_words(words: str) -> None:
    cluster = MemoryCluster(*THINGS)
    assert resolve(cluster, words) == Resolved()
    assert cluster.asked == []


def test_where_it_could_not_be_looked_up_is_said() -> None:
    cluster = MemoryCluster(*THINGS, answer=lambda read: FAILED if read.section is Section.PODS else None)
    assert resolve(cluster, "trainer-x") == Resolved(unmatched=("trainer-x",), unread=(Section.PODS,))


@pytest.mark.parametrize("words", ["node a/b", "vm a/b/c", "vm/", "node/"])
def test_a_broken_reference_is_named(words: str) -> None:
    with pytest.raises(MalformedReference):
        resolve(MemoryCluster(*THINGS), words)


def test_pods_are_asked_for_by_name_alone() -> None:
    cluster = MemoryCluster(*THINGS)
    resolve(cluster, "omen2")
    assert [one.field_selector for one in cluster.asked if one.section is Section.PODS] == ["metadata.name=omen2"]
