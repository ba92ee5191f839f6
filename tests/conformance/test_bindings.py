"""The binding subresource: the scheduler's write, what the server makes of it, and when it refuses."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from tests.conformance.asking import outcome
from tests.support.kubeapi import Json, KubeApi, path_of
from tests.support.servers import ApiServer
from tests.support.things import node, pod

P1 = pod("p1", labels={"app": "job", "other": "stays"}, annotations={"told": "before"})
LONG_AGO = "2026-01-01T00:00:00Z"
WAITS = {
    "type": "PodScheduled",
    "status": "False",
    "reason": "Unschedulable",
    "message": "0/1 nodes are available",
    "lastTransitionTime": LONG_AGO,
}


def bind(api: KubeApi, target: Json | None = None, name: str = "p1", *, dry_run: bool = False, **meta: Any) -> Any:
    body = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": "p1", **meta},
        "target": {"kind": "Node", "name": "n1"} if target is None else target,
    }
    return api.http.post(path_of(pod(name)) + "/binding", json=body, params={"dryRun": "All"} if dry_run else {})


def test_it_gives_the_pod_its_node_and_says_so(server: ApiServer) -> None:
    api = server.api()
    api.create(node("n1"))
    api.create(P1)
    other = {"type": "Other", "status": "True"}
    api.merge(P1, {"status": {"conditions": [WAITS, other]}}, "status")
    before = api.get(P1)
    answer = bind(api)
    assert outcome(answer) == (201, "")
    after = api.get(P1)
    assert (after["spec"]["nodeName"], after["status"]["phase"]) == ("n1", "Pending")
    scheduled, unchanged = after["status"]["conditions"]
    since = datetime.fromisoformat(scheduled.pop("lastTransitionTime"))
    assert scheduled == {"type": "PodScheduled", "status": "True", "lastProbeTime": None}
    assert timedelta(seconds=-2) < datetime.now(UTC) - since < timedelta(minutes=1)
    assert unchanged == before["status"]["conditions"][1]
    assert after["metadata"]["generation"] == before["metadata"]["generation"]


def test_a_dry_run_leaves_the_pod_as_it_was(server: ApiServer) -> None:
    api = server.api()
    api.create(P1)
    before = api.get(P1)
    assert outcome(bind(api, dry_run=True)) == (201, "")
    assert api.get(P1) == before


def test_its_labels_and_annotations_go_to_the_pod(server: ApiServer) -> None:
    api = server.api()
    api.create(P1)
    assert outcome(bind(api, labels={"app": "new"}, annotations={"told": "now", "more": "too"})) == (201, "")
    meta = api.get(P1)["metadata"]
    assert meta["labels"] == {"app": "new", "other": "stays"}
    assert meta["annotations"] == {"told": "now", "more": "too"}


@pytest.mark.parametrize("target", [{"name": "n1"}, {"kind": "Node", "name": "none"}], ids=["no kind", "no such node"])
def test_the_server_does_not_ask_whether_the_node_is_there(server: ApiServer, target: Json) -> None:
    api = server.api()
    api.create(P1)
    assert outcome(bind(api, target)) == (201, "")
    assert api.get(P1)["spec"]["nodeName"] == target["name"]


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ({"kind": "Node", "name": ""}, "target.name: Required value"),
        ({}, "target.name: Required value"),
        ({"kind": "Pod", "name": "n1"}, 'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"'),
    ],
    ids=["no name", "nothing", "another kind"],
)
def test_a_target_that_is_no_node(server: ApiServer, target: Json, why: str) -> None:
    api = server.api()
    api.create(P1)
    answer = bind(api, target)
    assert (outcome(answer), answer.json()["message"]) == ((500, ""), why)
    assert "nodeName" not in api.get(P1)["spec"]


def conflict(answer: httpx.Response) -> str:
    """The server's reason; the conflict is always one of the pod's binding."""
    assert outcome(answer) == (409, "Conflict")
    assert answer.json()["details"]["kind"] == "pods/binding"
    begin, _, why = str(answer.json()["message"]).partition(": ")
    assert begin == 'Operation cannot be fulfilled on pods/binding "p1"'
    return why


def test_a_pod_that_has_its_node(server: ApiServer) -> None:
    api = server.api()
    api.create(P1)
    bind(api)
    before = api.get(P1)
    assert conflict(bind(api, {"name": "n2"})) == 'pod p1 is already assigned to node "n1"'
    assert api.get(P1) == before


def test_a_pod_that_goes(server: ApiServer) -> None:
    api = server.api()
    held = {**P1, "metadata": {**P1["metadata"], "finalizers": ["autopsy.example/held"]}}
    api.create(held)
    api.delete(held)
    assert conflict(bind(api)) == "pod p1 is being deleted, cannot be assigned to a host"


def test_a_pod_that_is_gated(server: ApiServer) -> None:
    api = server.api()
    api.create({**P1, "spec": {**P1["spec"], "schedulingGates": [{"name": "autopsy.example/gate"}]}})
    assert conflict(bind(api)) == "pod p1 has non-empty .spec.schedulingGates"


@pytest.mark.parametrize("meta", [{"uid": "another"}, {"resourceVersion": "1"}], ids=["uid", "resourceVersion"])
def test_a_pod_that_is_not_the_one_that_is_meant(server: ApiServer, meta: Json) -> None:
    api = server.api()
    made = api.create(P1)["metadata"]
    assert outcome(bind(api, **meta)) == (409, "Conflict")
    assert "nodeName" not in api.get(P1)["spec"]
    assert outcome(bind(api, **{key: made[key] for key in meta})) == (201, "")


def test_a_binding_of_another_pod(server: ApiServer) -> None:
    api = server.api()
    api.create(pod("p2"))
    assert outcome(bind(api, name="p2")) == (400, "BadRequest")
    assert outcome(bind(api, name="p2", namespace="kube-system")) == (400, "BadRequest")


def test_a_pod_that_is_not_there(server: ApiServer) -> None:
    assert outcome(bind(server.api())) == (404, "NotFound")


def test_it_is_only_written(server: ApiServer) -> None:
    api = server.api()
    api.create(P1)
    assert outcome(api.http.get(path_of(P1) + "/binding")) == (405, "MethodNotAllowed")
    body = {**P1, "kind": "Pod"}
    assert outcome(api.http.post(path_of(P1) + "/binding", json=body)) == (400, "BadRequest")
