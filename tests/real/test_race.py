"""Two executors race for one approved step on a real API server and a real Redis: one effect in every round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from bot.remedy.plan import Action
from bot.remedy.runbook import Verb
from tests.conformance.scenes import AGENT, APPROVERS, HOLDER
from tests.support.racing import Races, racing
from tests.support.redis import redis_server, redis_url
from tests.support.servers import Real
from tests.support.steps import action, draft, exec_id
from tests.support.things import workload

__all__ = ["redis_server", "redis_url"]
pytestmark = pytest.mark.real
ROUNDS = 200
#: Over one journal, by the Redis that holds it. A store that people run is Debian's; the embedded one is for a demo.
SHARED = {"debian": 1000, "embedded": 200}
DAEMONSET = "/apis/apps/v1/namespaces/default/daemonsets/agent"


@pytest.fixture
def races(redis_url: str, real: Real) -> Iterator[Races]:
    with racing(redis_url, real) as races:
        yield races


@pytest.mark.parametrize("shares_journal", [True, False], ids=["one journal", "two journals"])
def test_two_executors(real: Real, races: Races, shares_journal: bool, request: pytest.FixtureRequest) -> None:
    """Over one journal, and where each knows of its own alone: then claim and precondition keep them apart."""
    rounds = SHARED[request.node.callspec.params["redis_server"]] if shares_journal else ROUNDS
    race, earlier = races(shares_journal=shares_journal), len(real.effects("x="))
    heats = [race.heat(number) for number in range(rounds)]
    assert {(heat.effects, heat.is_claimed, "verified" in heat.states) for heat in heats} == {(1, True, True)}
    # Whoever finds the other's claim looks, and asks people where nothing is to be seen yet.
    assert {state for heat in heats for state in heat.states} <= {"verified", *([] if shares_journal else ["unknown"])}
    assert sum(race.audited("audit-gap").values()) == (0 if shares_journal else rounds)
    assert set(race.audited("intent").values()) == set(race.audited("outcome").values()) == {len(race.journals)}
    done = Counter(real.effects("x=")[earlier:])
    assert done[f"patch {DAEMONSET}"] == len(set(race.exec_ids)) == rounds
    assert not shares_journal or race.conflicts > rounds // 4, "it was no race: they came one after the other"
    assert not shares_journal or len({heat.by for heat in heats}) == 2, "the same one won every time"


def test_the_control_without_journal_and_claim_it_happens_twice(races: Races) -> None:
    race = races(shares_journal=False, is_careless=True)
    assert {race.heat(number).effects for number in range(20)} == {2}


def test_one_claim_in_every_round(real: Real) -> None:
    api = real.api()
    api.add_namespace()
    agent = workload("DaemonSet", AGENT)
    api.create(agent)
    drafted = draft(Verb.ROLLOUT_RESTART, f"ds/default/{AGENT}")
    executors = [real.hands(), real.hands()]
    together = Barrier(len(executors))

    def compete(index: int, name: str, step: Action) -> str:
        together.wait()
        claimed = executors[index].claim(name, step, APPROVERS, HOLDER).result
        return executors[index].act(name, step).result if claimed == "ours" else claimed

    winners: list[int] = []
    with ThreadPoolExecutor(len(executors)) as pool:
        for number in range(ROUNDS):
            name = exec_id(f"round {number}")
            step = action(drafted, executors[0].prepare(drafted))
            found = list(pool.map(compete, (0, 1), (name, name), (step, step)))
            assert sorted(found) == ["applied", "there"], number
            winners.append(found.index("applied"))
            assert api.get(agent)["metadata"]["generation"] == 2 + number
    assert len(set(winners)) == 2, "it was no race: the same one won every time"
