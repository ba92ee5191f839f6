"""The eviction subresource under disruption budgets, and who the server says that one is."""

from __future__ import annotations

import httpx
import pytest

from tests.conformance.asking import outcome
from tests.conformance.evictable import JOB, LABELS, guarded, running
from tests.support.controlplane import NOBODY
from tests.support.kubeapi import KubeApi, path_of
from tests.support.servers import ApiServer
from tests.support.things import budget


def evict(api: KubeApi, uid: str = "", **query: str) -> httpx.Response:
    options = {"deleteOptions": {"preconditions": {"uid": uid}}} if uid else {}
    meta = {"name": "job", "namespace": "default"}
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": meta, **options}
    return api.http.post(path_of(JOB) + "/eviction", json=body, params=query)


def terminating(api: KubeApi) -> bool:
    return "deletionTimestamp" in api.get(JOB)["metadata"]


def test_without_a_budget_it_always_goes(server: ApiServer) -> None:
    api = server.api()
    running(api)
    assert evict(api, dryRun="All").status_code == 201
    assert not terminating(api)
    assert evict(api).status_code == 201
    assert terminating(api)


def test_a_spent_budget_forbids_it_and_is_named(server: ApiServer) -> None:
    api = server.api()
    running(api)
    guarded(api)
    for answer in (evict(api, dryRun="All"), evict(api)):
        assert outcome(answer) == (429, "TooManyRequests")
        assert "Retry-After" not in answer.headers
        (cause,) = answer.json()["details"]["causes"]
        assert cause["reason"] == "DisruptionBudget"
        assert cause["message"] == "The disruption budget one needs 1 healthy pods and has 1 currently"
    assert not terminating(api)


def test_a_budget_that_no_controller_looked_at_forbids_it(server: ApiServer) -> None:
    api = server.api()
    running(api)
    api.create(budget("one", **LABELS))
    answer = evict(api)
    assert outcome(answer) == (429, "TooManyRequests")
    assert answer.headers["Retry-After"] == "10"
    assert "still being processed" in answer.text


def test_an_eviction_uses_the_budget_up(server: ApiServer) -> None:
    api = server.api()
    running(api)
    guarded(api, currentHealthy=2, disruptionsAllowed=1)
    assert evict(api, dryRun="All").status_code == 201
    assert api.get(budget("one"))["status"]["disruptionsAllowed"] == 1
    assert evict(api).status_code == 201
    assert api.get(budget("one"))["status"]["disruptionsAllowed"] == 0


@pytest.mark.parametrize(("healthy", "code"), [(1, 201), (0, 429)], ids=["budget healthy", "budget broken"])
def test_a_pod_that_is_not_ready(server: ApiServer, healthy: int, code: int) -> None:
    api = server.api()
    running(api, ready=False)
    guarded(api, currentHealthy=healthy)
    assert evict(api).status_code == code


def test_two_budgets_are_an_error_of_the_server(server: ApiServer) -> None:
    api = server.api()
    running(api)
    guarded(api, "one", disruptionsAllowed=1)
    guarded(api, "two", disruptionsAllowed=1)
    assert evict(api).status_code == 500
    assert not terminating(api)


def test_a_pod_that_disturbs_nobody(server: ApiServer) -> None:
    api = server.api()
    running(api)
    guarded(api)
    api.merge(JOB, {"status": {"phase": "Succeeded"}}, "status")
    assert evict(api).status_code == 201


def test_the_uid_of_another_pod(server: ApiServer) -> None:
    api = server.api()
    running(api)
    assert outcome(evict(api, uid="another")) == (409, "Conflict")
    assert not terminating(api)
    assert evict(api, uid=api.get(JOB)["metadata"]["uid"]).status_code == 201


def test_a_pod_that_is_not_there(server: ApiServer) -> None:
    assert outcome(evict(server.api())) == (404, "NotFound")


@pytest.mark.parametrize("user", ["admin", NOBODY])
def test_who_asks(server: ApiServer, user: str) -> None:
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    answer = server.api(user).http.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", json=body)
    assert answer.status_code == 201
    assert answer.json()["status"]["userInfo"]["username"] == user
