"""Nothing is sent long after the first look. Axes: in time, too late."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.adapters.kubernetes.client import connect
from bot.adapters.kubernetes.hands import PATIENCE
from bot.adapters.kubernetes.live import Targets
from bot.adapters.kubernetes.once import LATEST, Once
from bot.app.repair.executor import LEASE
from tests.conformance.scenes import SCENES
from tests.support.servers import QUICK, Simulated
from tests.support.steps import action, exec_id

SCENE = SCENES["label-node"]


def ticking(*times: float) -> Callable[[], float]:
    left = list(times)
    return lambda: left.pop(0)


@pytest.mark.parametrize(
    ("seconds", "result", "value"), [(LATEST, "applied", "container"), (LATEST + 1, "refused", "vm-passthrough")]
)
def test_a_late_request_is_not_sent(
    simulated: Simulated, tmp_path: Path, seconds: float, result: str, value: str
) -> None:
    SCENE.play(simulated.api())
    step = action(SCENE.step, simulated.hands().prepare(SCENE.step))
    client, _ = connect(simulated.server.write_kubeconfig(tmp_path / "config"), None, QUICK)
    once = Once(client, Targets(client), ticking(100, 100 + seconds))
    found = once.do(exec_id("late"), step, step.target.ref, step.target.uid)
    client.close()
    assert (found.result, SCENE.value(simulated.api())) == (result, value)


def test_whoever_takes_over_comes_after_the_last_request() -> None:
    assert LATEST + PATIENCE.connect + PATIENCE.read + PATIENCE.whole < LEASE.total_seconds()
