"""Who a kubeconfig's user is, and in front of which cluster. Axes: user; refused; not reachable."""

from __future__ import annotations

import pytest
import yaml

from bot.adapters.kubernetes.identity import CannotTell, Nobody, cluster_uid, sitting
from bot.remedy.plan import Actor
from tests.support.controlplane import ADMIN, NOBODY
from tests.support.servers import QUICK, ApiServer


@pytest.mark.parametrize("user", [ADMIN, NOBODY])
def test_the_server_says_who_it_is(server: ApiServer, user: str) -> None:
    assert sitting(server.kubeconfig(user), patience=QUICK).actor == Actor(f"k8s:{user}")


def test_the_server_says_which_cluster_it_is(server: ApiServer) -> None:
    uid = server.api().http.get("/api/v1/namespaces/kube-system").json()["metadata"]["uid"]
    assert uid
    assert sitting(server.kubeconfig(ADMIN), patience=QUICK).cluster == uid
    assert cluster_uid(server.kubeconfig(ADMIN), patience=QUICK) == uid


def test_who_may_not_read_it_is_told_why(server: ApiServer) -> None:
    found = sitting(server.kubeconfig(NOBODY), patience=QUICK)
    assert (found.cluster, "HTTP 403" in found.why_no_cluster) == ("", True)
    with pytest.raises(CannotTell, match="kube-system: HTTP 403"):
        cluster_uid(server.kubeconfig(NOBODY), patience=QUICK)


def test_a_token_of_nobody(server: ApiServer) -> None:
    path = server.kubeconfig(ADMIN)
    config = yaml.safe_load(path.read_text())
    config["users"][0]["user"] = {"token": "of-nobody"}
    other = path.with_name("of-nobody")
    other.write_text(yaml.safe_dump(config))
    with pytest.raises(Nobody, match="401"):
        sitting(other, patience=QUICK)


def test_a_server_that_is_not_there(server: ApiServer) -> None:
    path = server.kubeconfig(ADMIN)
    config = yaml.safe_load(path.read_text())
    config["clusters"][0]["cluster"] = {"server": "http://127.0.0.1:9"}
    other = path.with_name("not-there")
    other.write_text(yaml.safe_dump(config))
    with pytest.raises(Nobody):
        sitting(other, patience=QUICK)
