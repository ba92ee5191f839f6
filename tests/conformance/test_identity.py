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
        whoami(other, patience=QUICK)
