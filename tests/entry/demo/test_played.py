"""Both demos, played to their ends. Axes: which; what somebody does to its machine and its audit meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

import pytest
import redis
from rich.console import Console

from bot.adapters.redis.client import Keys, connect
from bot.adapters.redis.embedded import EmbeddedServer
from bot.entry.demo.asking import Nobody
from bot.entry.demo.ending import NotRepaired
from bot.entry.wiring.demo import CLUSTER, rehearsal
from tests.support.playing import played
from tests.support.redis import binary

#: Twenty seconds of waiting for world time each.
pytestmark = pytest.mark.real


class Meddler(Nobody):
    """Does something once, when the demo is about to start the kubelet."""

    def __init__(self, meddle: Callable[[], None]) -> None:
        self._meddle = meddle

    def go_on(self, prompt: str) -> None:
        if prompt.startswith("start-kubelet"):
            self._meddle()


@pytest.mark.parametrize(
    ("scenario", "ends"),
    [
        (
            "swap-kubelet",
            ("On omen2: kubelet running, driver nvidia, CUDA job running", "its audit holds, omen2 is Ready."),
        ),
        ("replacement-loop", ("last replacements: 1; seen: 1", "its audit holds, no node is marked.")),
    ],
)
def test_a_demo_comes_to_its_repaired_end(scenario: str, ends: tuple[str, ...]) -> None:
    shown = played(scenario).shown
    assert [end for end in ends if end not in shown] == []


def test_the_control_a_killed_job_and_an_edited_audit_are_no_good_end() -> None:
    shown = StringIO()

    def meddle() -> None:
        ready.world.host.change(cuda="killed")
        edit(client)

    with (
        EmbeddedServer(binary("embedded")) as server,
        connect(server.url) as client,
        rehearsal("swap-kubelet", server.url, Console(file=shown, width=200), Meddler(meddle), lang="en") as ready,
        pytest.raises(
            NotRepaired, match=r"did not end as it should: the audit's chain is broken: .*; CUDA job killed$"
        ),
    ):
        ready.play()
    assert ": done. guard-card verified" in shown.getvalue(), "the plan alone does not show it"
    assert "Repaired: " not in shown.getvalue()


def edit(client: redis.Redis) -> None:
    """The approval is told of another person."""
    stream = Keys(CLUSTER)("audit")
    rows = client.xrange(stream)
    client.delete(stream)
    for number, fields in rows:  # type: ignore[union-attr]
        client.xadd(stream, {b"line": fields[b"line"].replace(b"U0APPROVER1", b"U0APPROVER2")}, id=number)
