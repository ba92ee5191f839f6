"""The desk with the real checks, on the two founding incidents as they lie in the scenarios' dumps."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.adapters.files.dump import DumpCluster
from bot.adapters.files.knowledge import load_knowledge, load_policies
from bot.app.investigate import Investigator
from bot.checks import CHECKS
from tests.app.desk import World, alert, group
from tests.support.redis import SetClock

SCENARIOS = Path(__file__).parent.parent / "scenarios"
#: The node that is there, after those that are gone.
GENERATIONS = ("43-58", "41-17", "42-203", "41-96", "42-131")


class DumpWorld(World):
    """A desk that looks at a scenario's dump."""

    def __init__(self, url: str, scenario: str) -> None:
        super().__init__(url)
        self.investigator = Investigator(
            cluster=DumpCluster(SCENARIOS / scenario / "dump", "omen"),
            hosts=self.pastes,
            clock=SetClock(datetime(2026, 7, 10, 16, 0, tzinfo=UTC)),
            checks=CHECKS,
            knowledge=load_knowledge(),
            repair_policies=load_policies("aws"),
        )
        self.desk = self.replica()


def test_five_generations_of_the_loop_s_node_are_one_thread_that_counts_five(redis_url: str) -> None:
    world = DumpWorld(redis_url, "replacement-loop")
    for number, name in enumerate(GENERATIONS):
        node = f"ip-10-0-{name}.eu-west-1.compute.internal"
        world.handle(group(f"r{number}", alert(node, world.clock.at + timedelta(minutes=number)), key=f"g{number}"))

    assert [texts[0] for texts in world.board.threads.values()] == ["OPEN x5: dcgm-library-missing nodepool/gpu"]


@pytest.mark.parametrize("is_one_group", [True, False], ids=["one group", "four groups"])
def test_nodes_that_died_for_reasons_not_seen_are_one_thread_only_if_one_group_says_so(
    redis_url: str, is_one_group: bool
) -> None:
    world = DumpWorld(redis_url, "swap-kubelet")
    alerts = [alert(f"omen{number}") for number in (1, 2, 3, 4)]
    if is_one_group:
        world.handle(group("r", *alerts))
    else:
        world.handle(*(group(f"r{number}", one, key=f"g{number}") for number, one in enumerate(alerts)))

    said = [one.text for one in world.board.posts if one.text.startswith("desk-several-causes count=4")]
    assert (len(world.board.threads), len(said)) == ((1, 1) if is_one_group else (4, 0))
