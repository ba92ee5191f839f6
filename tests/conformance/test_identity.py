"""Who a kubeconfig's user is. Axes: user; refused; not reachable."""

from __future__ import annotations

import pytest
import yaml

from bot.adapters.kubernetes.identity import Nobody, whoami
from bot.remedy.plan import Actor
from tests.support.controlplane import ADMIN, NOBODY
from tests.support.servers import QUICK, ApiServer


@pytest.mark.parametrize("user", [ADMIN, NOBODY])
def test_the_server_says_who_it_is(server: ApiServer, user: str) -> None:
    assert whoami(server.kubeconfig(user), patience=QUICK) == Actor(f"k8s:{user}")


def test_a_token_of_nobody(server: ApiServer) -> None:
    path = server.kubeconfig(ADMIN)
    config = yaml.safe_load(path.read_text())
    config["users"][0]["user"] = {"token": "of-nobody"}
    other = path.with_name("of-nobody")
    other.write_text(yaml.safe_dump(config))
    with pytest.raises(Nobody, match="401"):
        whoami(other, patience=QUICK)


def test_a_server_that_is_not_there(server: ApiServer) -> None:
    path = server.kubeconfig(ADMIN)
    config = yaml.safe_load(path.read_text())
    config["clusters"][0]["cluster"] = {"server": "http://127.0.0.1:9"}
    other = path.with_name("not-there")
    other.write_text(yaml.safe_dump(config))
    with pytest.raises(Nobody):
        whoami(other, patience=QUICK)
