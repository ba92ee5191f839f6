"""The server as a thing that is started, reached and stopped."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from bot.playground.apiserver.faults import Effect, Fault
from bot.playground.apiserver.server import SimulatedCluster
from tests.support.bot import until
from tests.support.servers import Simulated, WallClock
from tests.support.things import node, pod


def test_it_can_be_reached_with_its_kubeconfig_until_it_is_stopped() -> None:
    with SimulatedCluster(WallClock(), name="lab") as server:
        config = server.kubeconfig()
        url = config["clusters"][0]["cluster"]["server"]
        headers = {"Authorization": f"Bearer {config['users'][0]['user']['token']}"}
        assert config["contexts"][0]["context"]["cluster"] == "lab"
        assert url.startswith("http://127.0.0.1:")
        assert httpx.get(f"{url}/version", headers=headers, trust_env=False).json()["major"] == "1"
    with pytest.raises(httpx.ConnectError):
        httpx.get(url, trust_env=False)


def test_logs_belong_to_a_pod_that_is_there(simulated: Simulated) -> None:
    with pytest.raises(ValueError, match="not there"):
        simulated.server.put_log("default", "p1", "main", "text")
    simulated.server.load([node("n1"), pod("p1", "n1")])
    simulated.server.put_log("default", "p1", "main", "one\ntwo\nthree")
    http = simulated.api().http
    path = "/api/v1/namespaces/default/pods/p1/log"
    assert http.get(path).text == "one\ntwo\nthree"
    assert http.get(path, params={"tailLines": 2}).text == "two\nthree"
    assert http.get(path, params={"tailLines": 0}).text == ""
    assert http.get(path, params={"limitBytes": 4}).text == "one\n"
    assert http.get(path, params={"tailLines": "x"}).status_code == 400


def test_watches_are_refused_rather_than_answered_with_a_list(simulated: Simulated) -> None:
    answer = simulated.api().http.get("/api/v1/nodes", params={"watch": "true"})
    assert (answer.status_code, answer.json()["reason"]) == (400, "BadRequest")


def test_a_request_is_held_up_no_longer_than_its_fault_is_there(simulated: Simulated) -> None:
    faults, api = simulated.server.faults, simulated.api()
    faults.add(Fault(effect=Effect.SLOW, seconds=600))
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(api.http.get, "/api/v1/nodes")
        until("it has come", lambda: faults.requests)
        assert not slow.done()
        faults.clear()
        assert slow.result(20).status_code == 200
