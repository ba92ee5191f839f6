"""How an API server answers changes: what a simulated one must do as the real one does."""

from __future__ import annotations

import pytest

from tests.conformance.asking import JSON, STRATEGIC, outcome, patch
from tests.support.kubeapi import Json, collection_of, path_of
from tests.support.servers import ApiServer
from tests.support.things import event, instance, node, node_pool, pod


def test_a_taken_name(server: ApiServer) -> None:
    api = server.api()
    api.create(node("n1"))
    answer = api.http.post(collection_of(node("n1")), json=node("n1"))
    assert outcome(answer) == (409, "AlreadyExists")
    assert answer.json()["message"] == 'nodes "n1" already exists'


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        ("/api/v1/nodes/gone", False),
        ("/apis/karpenter.sh/v1/nodepools/gone", False),
        ("/apis/example.com/v1/widgets", True),
        ("/apis/example.com/v1/widgets/gone", True),
        ("/apis/kubevirt.io/v1/widgets", True),
    ],
)
def test_two_kinds_of_404(server: ApiServer, path: str, plain: bool) -> None:
    answer = server.api().http.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/plain" if plain else "application/json")
    if plain:
        assert answer.text.strip() == "404 page not found"
    else:
        assert outcome(answer) == (404, "NotFound")


def test_a_list_that_has_expired(server: ApiServer) -> None:
    api = server.api()
    for number in range(3):
        api.create(event(f"e{number}", "p1"))
    token = api.http.get("/api/v1/events", params={"limit": 1}).json()["metadata"]["continue"]
    server.forget_lists()
    assert outcome(api.http.get("/api/v1/events", params={"limit": 1, "continue": token})) == (410, "Expired")


def test_a_continue_token_that_nobody_gave(server: ApiServer) -> None:
    answer = server.api().http.get("/api/v1/nodes", params={"limit": 1, "continue": "garbage"})
    assert outcome(answer) == (400, "BadRequest")


@pytest.mark.parametrize("thing", [node("x"), node_pool("x")], ids=["built-in", "custom"])
class TestPreconditions:
    def test_a_stale_resource_version(self, server: ApiServer, thing: Json) -> None:
        api = server.api()
        api.create(thing)
        stale = {"metadata": {"resourceVersion": "1", "labels": {"a": "b"}}}
        assert outcome(patch(api, thing, stale)) == (409, "Conflict")
        replaced = api.http.put(path_of(thing), json={**thing, "metadata": {**thing["metadata"], **stale["metadata"]}})
        assert outcome(replaced) == (409, "Conflict")

    def test_the_uid_of_another_object(self, server: ApiServer, thing: Json) -> None:
        api = server.api()
        api.create(thing)
        assert outcome(patch(api, thing, {"metadata": {"uid": "another"}})) == (422, "Invalid")
        assert outcome(api.delete(thing, preconditions={"uid": "another"})) == (409, "Conflict")
        assert api.delete(thing, preconditions={"uid": api.get(thing)["metadata"]["uid"]}).status_code == 200
        assert outcome(api.http.get(path_of(thing))) == (404, "NotFound")

    def test_a_dry_run_changes_nothing(self, server: ApiServer, thing: Json) -> None:
        api = server.api()
        before = api.create(thing)
        answer = patch(api, thing, {"metadata": {"labels": {"a": "b"}}}, dryRun="All")
        assert answer.status_code == 200
        assert answer.json()["metadata"]["labels"] == {"a": "b"}
        assert api.http.request("DELETE", path_of(thing), params={"dryRun": "All"}).status_code == 200
        assert api.get(thing)["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]

    def test_a_json_patch_whose_test_fails(self, server: ApiServer, thing: Json) -> None:
        api = server.api()
        api.create(thing)
        label = {"op": "add", "path": "/metadata/labels", "value": {"a": "b"}}
        wrong = {"op": "test", "path": "/metadata/name", "value": "another"}
        right = {"op": "test", "path": "/metadata/name", "value": "x"}
        assert outcome(patch(api, thing, [wrong, label], JSON)) == (422, "Invalid")
        assert "labels" not in api.get(thing)["metadata"]
        assert patch(api, thing, [right, label], JSON).status_code == 200
        gone = {"op": "remove", "path": "/metadata/labels/none"}
        assert outcome(patch(api, thing, [gone], JSON)) == (422, "Invalid")
        assert api.get(thing)["metadata"]["labels"] == {"a": "b"}

    def test_a_patch_of_nothing_is_no_change(self, server: ApiServer, thing: Json) -> None:
        api = server.api()
        before = api.create(thing)
        assert patch(api, thing, {}).status_code == 200
        assert api.get(thing)["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]

    def test_what_the_server_owns_stays(self, server: ApiServer, thing: Json) -> None:
        api = server.api()
        before = api.create(thing)["metadata"]
        patch(api, thing, {"metadata": {"creationTimestamp": "2001-01-01T00:00:00Z", "labels": {"a": "b"}}})
        after = api.get(thing)["metadata"]
        assert (after["uid"], after["creationTimestamp"]) == (before["uid"], before["creationTimestamp"])
        assert int(after["resourceVersion"]) > int(before["resourceVersion"])

    def test_finalizers_keep_what_is_deleted(self, server: ApiServer, thing: Json) -> None:
        api = server.api()
        api.create({**thing, "metadata": {**thing["metadata"], "finalizers": ["tests.example/keep"]}})
        assert api.delete(thing).json()["metadata"]["deletionTimestamp"]
        assert api.get(thing)["metadata"]["deletionGracePeriodSeconds"] == 0
        more = {"metadata": {"finalizers": ["tests.example/keep", "tests.example/more"]}}
        assert outcome(patch(api, thing, more)) == (422, "Invalid")
        assert patch(api, thing, {"metadata": {"finalizers": None}}).status_code == 200
        assert outcome(api.http.get(path_of(thing))) == (404, "NotFound")


def test_strategic_merge_joins_conditions_by_type_and_replaces_taints(server: ApiServer) -> None:
    api = server.api()
    api.create(node("n1"))
    for kind in ("Ready", "AcceleratedHardwareReady"):
        patch(api, node("n1"), {"status": {"conditions": [{"type": kind, "status": "True"}]}}, STRATEGIC, "/status")
    found = api.get(node("n1"))["status"]["conditions"]
    assert {one["type"] for one in found} == {"Ready", "AcceleratedHardwareReady"}
    patch(api, node("n1"), {"spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]}}, STRATEGIC)
    assert [one["key"] for one in api.get(node("n1"))["spec"]["taints"]] == ["a"]


def test_merge_replaces_lists(server: ApiServer) -> None:
    api = server.api()
    api.create(node("n1"))
    for kind in ("Ready", "AcceleratedHardwareReady"):
        patch(api, node("n1"), {"status": {"conditions": [{"type": kind, "status": "True"}]}}, sub="/status")
    assert [one["type"] for one in api.get(node("n1"))["status"]["conditions"]] == ["AcceleratedHardwareReady"]


def test_custom_resources_take_no_strategic_merge(server: ApiServer) -> None:
    api = server.api()
    api.create(node_pool("gpu"))
    assert outcome(patch(api, node_pool("gpu"), {}, STRATEGIC)) == (415, "UnsupportedMediaType")


class TestStatus:
    def test_a_write_to_the_object_leaves_the_status(self, server: ApiServer) -> None:
        api = server.api()
        api.create({**node_pool("gpu"), "status": {"nodes": 9}})
        assert "nodes" not in (api.get(node_pool("gpu")).get("status") or {})
        patch(api, node_pool("gpu"), {"status": {"nodes": 2}}, sub="/status")
        patch(api, node_pool("gpu"), {"status": {"nodes": 7}})
        assert api.get(node_pool("gpu"))["status"]["nodes"] == 2

    def test_a_write_to_the_status_leaves_the_object(self, server: ApiServer) -> None:
        api = server.api()
        api.create(node("n1"))
        patch(api, node("n1"), {"spec": {"unschedulable": True}, "status": {"capacity": {"cpu": "9"}}}, sub="/status")
        found = api.get(node("n1"))
        assert "unschedulable" not in found["spec"]
        assert found["status"]["capacity"] == {"cpu": "9"}

    def test_a_nodes_status_may_come_with_its_creation_and_a_pods_may_not(self, server: ApiServer) -> None:
        api = server.api()
        assert api.create({**node("n1"), "status": {"capacity": {"cpu": "1"}}})["status"]["capacity"] == {"cpu": "1"}
        assert api.create({**pod("p1"), "status": {"phase": "Running"}})["status"]["phase"] == "Pending"

    def test_a_resource_without_the_subresource(self, server: ApiServer) -> None:
        api = server.api()
        api.create(instance("vmi", "Scheduling"))
        assert patch(api, instance("vmi", ""), {"status": {"phase": "Failed"}}, sub="/status").status_code == 404
        assert patch(api, instance("vmi", ""), {"status": {"phase": "Failed"}}).status_code == 200
        assert api.get(instance("vmi", ""))["status"]["phase"] == "Failed"


def test_generation_counts_changes_of_the_spec(server: ApiServer) -> None:
    api = server.api()
    assert api.create(node_pool("gpu"))["metadata"]["generation"] == 1
    patch(api, node_pool("gpu"), {"metadata": {"labels": {"a": "b"}}})
    patch(api, node_pool("gpu"), {"status": {"nodes": 2}}, sub="/status")
    assert api.get(node_pool("gpu"))["metadata"]["generation"] == 1
    patch(api, node_pool("gpu"), {"spec": {"weight": 5}})
    assert api.get(node_pool("gpu"))["metadata"]["generation"] == 2


@pytest.mark.parametrize(
    ("thing", "unconditional"), [(node("x"), True), (node_pool("x"), False)], ids=["built-in", "custom"]
)
def test_replacing_without_a_resource_version(server: ApiServer, thing: Json, unconditional: bool) -> None:
    api = server.api()
    api.create(thing)
    answer = api.http.put(path_of(thing), json=thing)
    if unconditional:
        assert answer.status_code == 200
    else:
        assert outcome(answer) == (422, "Invalid")


class TestDeletionOfPods:
    def test_an_unbound_pod_is_gone_at_once(self, server: ApiServer) -> None:
        api = server.api()
        api.create(pod("p1"))
        assert api.delete(pod("p1")).status_code == 200
        assert outcome(api.http.get(path_of(pod("p1")))) == (404, "NotFound")

    def test_a_bound_pod_waits_for_its_kubelet(self, server: ApiServer) -> None:
        api = server.api()
        api.create(node("n1"))
        api.create(pod("p1", "n1"))
        assert api.delete(pod("p1")).json()["metadata"]["deletionGracePeriodSeconds"] == 30
        assert api.get(pod("p1"))["metadata"]["deletionTimestamp"]
        assert api.delete(pod("p1"), gracePeriodSeconds=0).status_code == 200
        assert outcome(api.http.get(path_of(pod("p1")))) == (404, "NotFound")


def test_a_new_node_is_marked_until_it_reports_itself(server: ApiServer) -> None:
    made = server.api().create(node("n1"))
    assert made["spec"]["taints"] == [{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]


@pytest.mark.parametrize(
    ("path", "thing", "wanted"),
    [
        ("/api/v1/nodes", node("Bad_Name"), (422, "Invalid")),
        ("/api/v1/nodes", pod("p1"), (400, "BadRequest")),
        ("/api/v1/namespaces/kube-system/pods", pod("p1"), (400, "BadRequest")),
        ("/api/v1/namespaces/none/pods", {**pod("p1"), "metadata": {"name": "p1"}}, (404, "NotFound")),
        ("/api/v1/nodes/n1", node("n1"), (405, "MethodNotAllowed")),
    ],
)
def test_what_cannot_be_created(server: ApiServer, path: str, thing: Json, wanted: tuple[int, str]) -> None:
    assert outcome(server.api().http.post(path, json=thing)) == wanted


@pytest.mark.parametrize("label", [{"a b": "c"}, {"a": "b c"}, {"a/b/c": "d"}, {"a": "b-"}], ids=str)
def test_what_is_no_label(server: ApiServer, label: dict[str, str]) -> None:
    api = server.api()
    assert outcome(api.http.post("/api/v1/nodes", json=node("n1", labels=label))) == (422, "Invalid")
    api.create(node("n1"))
    assert outcome(patch(api, node("n1"), {"metadata": {"labels": label}})) == (422, "Invalid")


def test_a_body_that_is_no_json(server: ApiServer) -> None:
    answer = server.api().http.post("/api/v1/nodes", content=b'{"a', headers={"Content-Type": "application/json"})
    assert outcome(answer) == (400, "BadRequest")


def test_an_unknown_token_is_nobody(server: ApiServer) -> None:
    answer = server.api().http.get("/api/v1/nodes", headers={"Authorization": "Bearer of-nobody"})
    assert outcome(answer) == (401, "Unauthorized")


def test_generated_names(server: ApiServer) -> None:
    api = server.api()
    thing = {**event("", "p1"), "metadata": {"generateName": "event-", "namespace": "default"}}
    found = {api.create(thing)["metadata"]["name"] for _ in range(3)}
    assert len(found) == 3
    assert all(name.startswith("event-") and len(name) == len("event-") + 5 for name in found)


def test_items_of_a_list_name_their_kind_only_for_custom_resources(server: ApiServer) -> None:
    api = server.api()
    api.create(node("n1"))
    api.create(node_pool("gpu"))
    nodes = api.http.get("/api/v1/nodes").json()
    pools = api.http.get("/apis/karpenter.sh/v1/nodepools").json()
    assert (nodes["kind"], pools["kind"]) == ("NodeList", "NodePoolList")
    assert "kind" not in nodes["items"][0]
    assert pools["items"][0]["kind"] == "NodePool"
