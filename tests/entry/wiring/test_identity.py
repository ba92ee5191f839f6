"""Which cluster the journal is of, at a start of the bot. Axes: the journal; the cluster; whether it can be read."""

from __future__ import annotations

from pathlib import Path

import pytest
import redis

from bot.adapters.redis.client import Keys
from bot.entry.wiring.identity import OtherCluster, bound
from bot.playground.apiserver.faults import Effect, Fault
from bot.playground.apiserver.server import SimulatedCluster
from tests.support.controlplane import ADMIN
from tests.support.journals import journal
from tests.support.plans import entry
from tests.support.redis import client, keys, redis_server, redis_url
from tests.support.servers import Simulated, WallClock, shared_simulated_server, simulated

__all__ = ["client", "keys", "redis_server", "redis_url", "shared_simulated_server", "simulated"]


def uid(server: SimulatedCluster) -> str:
    found = server.store.find("namespaces", "", "kube-system")
    assert found is not None
    return str(found["metadata"]["uid"])


def test_the_first_start_says_which_cluster_it_is_and_audits_it(
    client: redis.Redis, keys: Keys, simulated: Simulated
) -> None:
    kept = journal(client, keys)
    kept.begin("begin", entry("journal-begun", ""))
    for _ in range(2):
        bound(kept, simulated.kubeconfig(ADMIN))
    assert kept.cluster() == uid(simulated.server)
    (told,) = [one for one in kept.entries() if one["type"] == "cluster-bound"]
    assert (told["actor"], told["details.kube-system"]) == ("bot", uid(simulated.server))


def test_a_start_in_front_of_another_cluster_names_both(
    client: redis.Redis, keys: Keys, simulated: Simulated, tmp_path: Path
) -> None:
    kept = journal(client, keys)
    kept.begin("begin", entry("journal-begun", ""), uid(simulated.server))
    with SimulatedCluster(WallClock(), users={ADMIN: ADMIN}) as other, pytest.raises(OtherCluster) as refused:
        bound(kept, other.write_kubeconfig(tmp_path / "other", ADMIN))
    assert all(uid(one) in str(refused.value) for one in (other, simulated.server))


def test_what_cannot_be_read_is_said_at_a_later_start(client: redis.Redis, keys: Keys, simulated: Simulated) -> None:
    kept = journal(client, keys)
    kept.begin("begin", entry("journal-begun", ""))
    simulated.server.faults.add(Fault(effect=Effect.FORBIDDEN, verb="get", plural="namespaces"))
    bound(kept, simulated.kubeconfig(ADMIN))
    assert kept.cluster() == ""


def test_a_start_begins_no_journal(client: redis.Redis, keys: Keys, simulated: Simulated) -> None:
    bound(journal(client, keys), simulated.kubeconfig(ADMIN))
    assert client.keys("*") == []
