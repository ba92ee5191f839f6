"""Two executors race for one approved step on a real API server: one effect in every round."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from bot.remedy.plan import Action
from bot.remedy.runbook import Verb
from tests.conformance.scenes import AGENT
from tests.conformance.test_claims import APPROVERS, own_namespace
from tests.support.servers import Real
from tests.support.steps import action, draft, exec_id
from tests.support.things import workload

pytestmark = pytest.mark.real
ROUNDS = 200


def test_one_effect_in_every_round(real: Real) -> None:
    api = real.api()
    own_namespace(api)
    agent = workload("DaemonSet", AGENT)
    api.create(agent)
    drafted = draft(Verb.ROLLOUT_RESTART, f"ds/default/{AGENT}")
    executors = [real.hands(), real.hands()]
    together = Barrier(len(executors))

    def compete(index: int, name: str, step: Action) -> str:
        together.wait()
        claimed = executors[index].claim(name, step, APPROVERS)
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
