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


@pytest.mark.parametrize(
    ("part", "change", "why"),
    [
        ("users", {"user": {"token": "of-nobody"}}, "401"),
        ("clusters", {"cluster": {"server": "http://127.0.0.1:9"}}, "refused"),
    ],
    ids=["a token of nobody", "a server that is not there"],
)
def test_who_it_is_cannot_be_told(server: ApiServer, part: str, change: dict[str, object], why: str) -> None:
    path = server.kubeconfig(ADMIN)
    config = yaml.safe_load(path.read_text())
    config[part][0] |= change
    other = path.with_name("other")
    other.write_text(yaml.safe_dump(config))
    with pytest.raises(Nobody, match=why):
        sitting(other, patience=QUICK)
