"""What the adapter makes of an API server's lists, objects, logs and refusals."""

from __future__ import annotations

import pytest

from bot.adapters.kubernetes import cluster as adapter
from bot.app.ports import Pages, Read
from bot.model.objects import Node, Pod
from bot.model.refs import Ref
from bot.model.sections import RESOURCES, NotInstalled, Section, Unknown, UnknownReason
from tests.support.controlplane import NOBODY
from tests.support.servers import ApiServer
from tests.support.things import event, instance, node, node_pool, pod


def names(pages: Pages) -> list[str]:
    assert isinstance(pages.objects, tuple), pages.objects
    return [one.name for one in pages.objects]


def one(server: ApiServer, read: Read) -> Pages:
    (pages,) = server.cluster().read([read])
    return pages


def test_every_section_of_an_empty_cluster_is_an_empty_list(server: ApiServer) -> None:
    # A real API server keeps a Lease of its own in kube-system.
    asked = [Read(section=one, namespace="kube-node-lease" if one is Section.LEASES else "") for one in RESOURCES]
    assert server.cluster().read(asked) == tuple(Pages(objects=()) for _ in asked)


def test_a_long_list_is_read_page_by_page(server: ApiServer) -> None:
    api = server.api()
    wanted = [f"n{number:04}" for number in range(adapter.PAGE + 3)]
    for name in wanted:
        api.create(node(name))
    assert names(one(server, Read(section=Section.NODES))) == wanted


def test_pages_are_of_one_moment(server: ApiServer) -> None:
    api = server.api()
    for name in ("a", "b", "c"):
        api.create(node(name))
    first = api.http.get("/api/v1/nodes", params={"limit": 2}).json()
    assert first["metadata"]["remainingItemCount"] == 1
    api.create(node("d"))
    api.delete(node("c"))
    token = first["metadata"]["continue"]
    second = api.http.get("/api/v1/nodes", params={"limit": 2, "continue": token}).json()
    assert [one["metadata"]["name"] for one in second["items"]] == ["c"]
    assert "continue" not in second["metadata"]
    assert second["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]


def test_answers_come_in_the_order_of_the_questions(server: ApiServer) -> None:
    api = server.api()
    api.create(node("n1"))
    api.create(pod("p1"))
    pages = server.cluster().read([Read(section=Section.PODS), Read(section=Section.NODES)])
    assert [names(found) for found in pages] == [["p1"], ["n1"]]


@pytest.mark.parametrize(
    ("selector", "wanted"),
    [
        ("gpu=a100", ["n1"]),
        ("gpu==a100", ["n1"]),
        ("gpu!=a100", ["n2", "n3"]),
        ("gpu", ["n1", "n2"]),
        ("!gpu", ["n3"]),
        ("gpu in (a100,h100)", ["n1", "n2"]),
        ("gpu notin (a100)", ["n2", "n3"]),
        ("gpu,nvidia.com/gpu.present=true", ["n2"]),
        ("gpu in (a100,h100),gpu!=a100", ["n2"]),
    ],
)
def test_label_selectors(server: ApiServer, selector: str, wanted: list[str]) -> None:
    api = server.api()
    api.create(node("n1", labels={"gpu": "a100"}))
    api.create(node("n2", labels={"gpu": "h100", "nvidia.com/gpu.present": "true"}))
    api.create(node("n3"))
    assert names(one(server, Read(section=Section.NODES, label_selector=selector))) == wanted


def test_field_selectors(server: ApiServer) -> None:
    api = server.api()
    api.create(node("n1"))
    api.create(pod("p1", "n1"))
    api.create(pod("p2"))
    api.create(event("e1", "p1", type="Warning", reason="Failed"))
    api.create(event("e2", "p1", type="Normal", reason="Started"))
    asked = {
        "on the node": Read(section=Section.PODS, field_selector="spec.nodeName=n1"),
        "not on it": Read(section=Section.PODS, field_selector="spec.nodeName!=n1,status.phase=Pending"),
        "warnings": Read(section=Section.EVENTS, field_selector="involvedObject.name=p1,type=Warning"),
        "not started": Read(section=Section.EVENTS, field_selector="involvedObject.kind=Pod,reason!=Started"),
        "by name": Read(section=Section.NODES, field_selector="metadata.name=n1"),
        "in a namespace": Read(section=Section.PODS, namespace="kube-system"),
    }
    found = dict(zip(asked, map(names, server.cluster().read(list(asked.values()))), strict=True))
    assert found == {
        "on the node": ["p1"],
        "not on it": ["p2"],
        "warnings": ["e1"],
        "not started": ["e1"],
        "by name": ["n1"],
        "in a namespace": [],
    }


@pytest.mark.parametrize("selector", ["spec.foo=bar", "spec.nodeName"])
def test_a_selector_that_the_server_does_not_know_makes_the_section_unknown(server: ApiServer, selector: str) -> None:
    found = one(server, Read(section=Section.PODS, field_selector=selector)).objects
    assert isinstance(found, Unknown)
    assert found.reason is UnknownReason.FAILED
    assert "HTTP 400" in found.detail


def test_an_object_by_its_name(server: ApiServer) -> None:
    api = server.api()
    api.create(node("n1", labels={"gpu": "a100"}))
    api.create(pod("p1"))
    (found,) = one(server, Read(section=Section.NODES, name="n1")).objects or ()
    assert isinstance(found, Node)
    assert found.metadata.labels == {"gpu": "a100"}
    assert found.metadata.creation_timestamp is not None
    with_namespace = one(server, Read(section=Section.PODS, namespace="default", name="p1"))
    without_namespace = one(server, Read(section=Section.PODS, name="p1"))
    assert names(with_namespace) == names(without_namespace) == ["p1"]
    assert all(isinstance(each, Pod) for each in with_namespace.objects or ())


@pytest.mark.parametrize(
    "read",
    [
        Read(section=Section.NODES, name="gone"),
        Read(section=Section.PODS, namespace="default", name="gone"),
        Read(section=Section.PODS, name="gone"),
        Read(section=Section.NODEPOOLS, name="gone"),
        Read(section=Section.PODS, namespace="no-such-namespace"),
    ],
    ids=str,
)
def test_an_object_that_is_not_there_is_an_empty_answer(server: ApiServer, read: Read) -> None:
    assert one(server, read) == Pages(objects=())


def test_a_custom_resource_that_is_not_installed_is_a_fact(server: ApiServer) -> None:
    with server.without(Section.NODEPOOLS):
        reads = [Read(section=Section.NODEPOOLS), Read(section=Section.NODEPOOLS, name="gpu")]
        pages = server.cluster().read([*reads, Read(section=Section.NODECLAIMS)])
    assert [found.objects for found in pages] == [
        NotInstalled("nodepools.karpenter.sh"),
        NotInstalled("nodepools.karpenter.sh"),
        (),
    ]


def test_a_forbidden_read_is_unknown(server: ApiServer) -> None:
    asked = [Read(section=Section.NODES), Read(section=Section.NODES, name="n1"), Read(section=Section.NODEPOOLS)]
    for _, pages in zip(asked, server.cluster(NOBODY).read(asked), strict=True):
        assert isinstance(pages.objects, Unknown)
        assert pages.objects.reason is UnknownReason.FORBIDDEN
        assert f'User "{NOBODY}" cannot' in pages.objects.detail


def test_custom_objects_with_and_without_a_status_subresource(server: ApiServer) -> None:
    server.api().create(instance("vmi", "Scheduling"))
    ready = {
        "type": "Ready",
        "status": "True",
        "reason": "R",
        "message": "",
        "lastTransitionTime": "2026-10-30T15:40:00Z",
    }
    server.api().load([{**node_pool("gpu"), "status": {"conditions": [ready]}}])
    instances, pools = server.cluster().read(
        [Read(section=Section.VIRTUALMACHINEINSTANCES), Read(section=Section.NODEPOOLS)]
    )
    assert isinstance(instances.objects, tuple)
    assert isinstance(pools.objects, tuple)
    assert [getattr(each, "status").phase for each in instances.objects] == ["Scheduling"]  # noqa: B009
    (status,) = [getattr(each, "status") for each in pools.objects]  # noqa: B009
    assert [(one.type, one.reason) for one in status.conditions] == [("Ready", "R")]


LOGS = {
    "the pod is gone": ("gone", "main", UnknownReason.FAILED, "HTTP 404"),
    "no such container": ("bound", "other", UnknownReason.FAILED, "HTTP 400"),
    "no node yet": ("free", "main", UnknownReason.FAILED, "log-without-node"),
    "the kubelet does not answer": ("bound", "main", UnknownReason.FAILED, "HTTP 500"),
}


@pytest.mark.parametrize("case", LOGS)
def test_a_log_that_cannot_be_read(server: ApiServer, case: str) -> None:
    name, container, reason, words = LOGS[case]
    api = server.api()
    api.create(node("n1"))
    api.create(pod("free"))
    api.create(pod("bound", "n1"))
    found = server.cluster().pod_log(Ref("pod", name, "default"), container)
    assert isinstance(found, Unknown)
    assert found.reason is reason
    assert words in found.detail


def test_a_forbidden_log(server: ApiServer) -> None:
    found = server.cluster(NOBODY).pod_log(Ref("pod", "p1", "default"), "main")
    assert isinstance(found, Unknown)
    assert found.reason is UnknownReason.FORBIDDEN
