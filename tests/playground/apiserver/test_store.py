"""The store without HTTP: what a loaded object keeps, whose time counts, how long a list stays open."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from bot.playground.apiserver.errors import ApiError
from bot.playground.apiserver.store import Query, Store
from bot.playground.apiserver.types import TYPES, ResourceType, of_kind
from tests.support.things import Json, node, node_pool, pod


class WorldClock:
    """World time that a test moves."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 7, 10, 15, 0, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment


def kind_of(thing: Json) -> ResourceType:
    found = of_kind(thing["apiVersion"], thing["kind"])
    assert found is not None
    return found


NODES = kind_of(node("any"))
PODS = kind_of(pod("any"))


@pytest.fixture
def clock() -> WorldClock:
    return WorldClock()


@pytest.fixture
def store(clock: WorldClock) -> Store:
    def uids() -> Iterator[str]:
        number = 0
        while True:
            number += 1
            yield f"uid-{number}"

    source = uids()
    return Store(clock, lambda: next(source))


def test_a_loaded_object_keeps_what_it_has(store: Store) -> None:
    meta = {"uid": "u1", "creationTimestamp": "2026-03-20T00:00:00Z", "deletionTimestamp": "2026-07-10T14:00:00Z"}
    store.load([{**pod("p1", **meta), "status": {"phase": "Running"}}])
    found = store.get(PODS, "default", "p1")
    assert {key: found["metadata"][key] for key in meta} == meta
    assert found["status"] == {"phase": "Running"}


def test_what_a_loaded_object_lacks_is_given(store: Store, clock: WorldClock) -> None:
    store.load([{**pod("p1"), "metadata": {"name": "p1", "namespace": "gpu-operator"}}])
    meta = store.get(PODS, "gpu-operator", "p1")["metadata"]
    assert meta["uid"].startswith("uid-")
    assert meta["creationTimestamp"] == "2026-07-10T15:00:00Z"
    assert store.find("namespaces", "", "gpu-operator") is not None


def test_loading_does_not_touch_the_callers_object(store: Store) -> None:
    given = node("n1")
    store.load([given])
    assert given == node("n1")


def test_custom_resources_are_served_once_one_is_loaded(store: Store) -> None:
    assert store.serves("karpenter.sh", "v1", "nodepools") is None
    store.load([node_pool("gpu")])
    assert store.serves("karpenter.sh", "v1", "nodepools") == kind_of(node_pool("any"))
    assert store.serves("karpenter.sh", "v1", "nodeclaims") is not None


@pytest.mark.parametrize(
    "thing",
    [
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}},
        {"apiVersion": "v1", "kind": "Node"},
        {"apiVersion": "v1", "kind": "Node", "metadata": {}},
        {},
    ],
)
def test_what_cannot_be_loaded(store: Store, thing: Json) -> None:
    with pytest.raises(ValueError, match="cannot load"):
        store.load([thing])


def test_times_are_world_time(store: Store, clock: WorldClock) -> None:
    made = store.create(NODES, "", node("n1"))
    assert made["metadata"]["creationTimestamp"] == "2026-07-10T15:00:00Z"
    store.load([pod("p1", "n1")])
    clock.moment += timedelta(days=112)
    left = store.delete(PODS, "default", "p1", {})
    assert left is not None
    assert left["metadata"]["deletionTimestamp"] == "2026-10-30T15:00:30Z"


def test_the_oldest_open_list_expires(store: Store) -> None:
    store.load(node(name) for name in ("a", "b"))
    first = store.page(NODES, "", Query(limit=1))["metadata"]["continue"]
    for number in range(64):
        store.load([node(f"c{number}")])
        last = store.page(NODES, "", Query(limit=1))["metadata"]["continue"]
    assert [one["metadata"]["name"] for one in store.page(NODES, "", Query(limit=1, token=last))["items"]] == ["b"]
    with pytest.raises(ApiError) as expired:
        store.page(NODES, "", Query(limit=1, token=first))
    assert expired.value.code == 410


@pytest.mark.parametrize(
    ("finalizers", "grace", "second_grace", "left"),
    [([], None, None, True), ([], None, 0, False), (["a.example/b"], 0, 0, True), ([], 5, 60, True)],
    ids=["waits for its kubelet", "then by force", "held by a finalizer", "a longer grace changes nothing"],
)
def test_a_bound_pod_that_is_deleted_twice(
    store: Store, finalizers: list[str], grace: int | None, second_grace: int | None, left: bool
) -> None:
    store.load([pod("p1", "n1", finalizers=finalizers)])
    store.delete(PODS, "default", "p1", {"gracePeriodSeconds": grace})
    first = store.get(PODS, "default", "p1")["metadata"]["deletionGracePeriodSeconds"]
    store.delete(PODS, "default", "p1", {"gracePeriodSeconds": second_grace})
    assert (store.find("pods", "default", "p1") is not None) is left
    if left:
        assert store.get(PODS, "default", "p1")["metadata"]["deletionGracePeriodSeconds"] == first


def test_it_can_be_set_back_to_a_moment_any_number_of_times(store: Store) -> None:
    store.load([node("a"), node("b")])
    began = store.get(NODES, "", "a")
    then = store.moment()
    for _ in range(2):
        store.update(NODES, "", "a", lambda one: {**one, "spec": {"unschedulable": True}})
        store.delete(NODES, "", "b", {})
        store.load([pod("p1", "a")])
        store.set_back(then)
        assert store.get(NODES, "", "a") == began
        assert store.get(NODES, "", "b")["metadata"]["name"] == "b"
        assert store.find("pods", "default", "p1") is None
    changed = store.update(NODES, "", "a", lambda one: {**one, "spec": {"unschedulable": True}})
    assert int(changed["metadata"]["resourceVersion"]) > int(began["metadata"]["resourceVersion"]) + 3


def test_every_section_of_the_bot_can_be_served() -> None:
    assert len({(one.group, one.plural) for one in TYPES}) == len(TYPES)
