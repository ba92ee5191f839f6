"""Both outages, played to their repaired ends on the simulated cluster: what was predicted comes true.

Axes: scenario, option, who answers, what somebody does to the machine and the audit meanwhile. Half a minute each, of
waiting for world time: all of them begin together.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import Future
from io import StringIO
from subprocess import CompletedProcess
from typing import NamedTuple

import pytest
import redis
from rich.console import Console

from bot.adapters.redis.client import Keys, connect
from bot.adapters.redis.embedded import EmbeddedServer
from bot.entry.demo.asking import Nobody
from bot.entry.demo.ending import NotRepaired
from bot.entry.demo.repair import NoSuchOption
from bot.entry.wiring.demo import CLUSTER, rehearsal
from tests.entry.dumps import python
from tests.support.playing import begun, demo
from tests.support.redis import binary

pytestmark = pytest.mark.real

#: Enter to go on, the third option, Enter for whoever is suggested to restart the monitor; then for the step that
#: takes two people who asked, and both approvers.
THREE_PEOPLE = "\n3\n\n1\n2\n3\n"
#: Everything that is played here, of which each test asks for its own.
DEMOS = (
    ("swap-kubelet",),
    ("replacement-loop",),
    ("replacement-loop", None, "repair-dcgm"),
    ("replacement-loop", THREE_PEOPLE),
    ("replacement-loop", None, "without-gpu-monitor-cleared"),
    ("replacement-loop", None, "without-node-repair"),
)


class Meddler(Nobody):
    """Does something once, when the demo is about to start the kubelet."""

    def __init__(self, meddle: Callable[[], None]) -> None:
        self._meddle = meddle

    def go_on(self, prompt: str) -> None:
        if prompt.startswith("Start the kubelet"):
            self._meddle()


class Ended(NamedTuple):
    """What was shown, and why it was no good end."""

    shown: str
    why: str


def meddled() -> Ended:
    """The job is killed and the audit is edited before the kubelet starts."""
    shown = StringIO()

    def meddle() -> None:
        ready.world.host.change(cuda="killed")
        edit(client)

    with (
        EmbeddedServer(binary("embedded"), durable=True) as server,
        connect(server.url) as client,
        rehearsal("swap-kubelet", server.url, Console(file=shown, width=200), Meddler(meddle), lang="en") as ready,
    ):
        try:
            ready.play()
        except NotRepaired as why:
            return Ended(shown.getvalue(), str(why))
    return Ended(shown.getvalue(), "")


@pytest.fixture(scope="module")
def control() -> Future[Ended]:
    return begun(meddled)


@pytest.fixture(scope="module")
def for_the_vms() -> Future[CompletedProcess[str]]:
    command = "sys.argv[1:] = ['demo', '--yes', '--option', 'vms']"
    return begun(python, f"import sys\nfrom bot.entry import cli\n{command}\ncli.main()")


@pytest.fixture(scope="module", autouse=True)
def together(control: object, for_the_vms: object) -> None:
    for one in DEMOS:
        demo(*one)


@pytest.mark.parametrize(
    ("scenario", "option", "ends"),
    [
        ("swap-kubelet", "", ("CUDA job running", "Repaired: the plan is done, its audit holds, omen2 is Ready.")),
        ("replacement-loop", "", ("after the repair: 1; seen: 1", "Repaired: the plan is done, its audit holds, the")),
        ("replacement-loop", "repair-dcgm", ("after the repair: 0; seen: 0", "Repaired: the plan is done")),
        ("replacement-loop", "without-node-repair", ("after the repair: 0; seen: 0", "Repaired: the plan is done")),
    ],
)
def test_a_demo_comes_to_its_repaired_end(scenario: str, option: str, ends: tuple[str, ...]) -> None:
    shown = demo(scenario, None, option).result().shown
    assert [end for end in ends if end not in shown] == []


def test_the_control_a_killed_job_and_an_edited_audit_are_no_good_end(control: Future[Ended]) -> None:
    shown, why = control.result()
    assert re.search("did not end as it should: the audit's chain is broken: .*; CUDA job killed$", why)
    assert ": done." in shown, "the plan alone does not show it"
    assert "Repaired: " not in shown


@pytest.mark.parametrize(
    ("typed", "option"),
    [(THREE_PEOPLE, ""), (None, "without-gpu-monitor-cleared")],
    ids=["typed", "whoever is suggested"],
)
def test_a_step_of_two_people_refuses_who_asked_and_is_finished_by_two_others(typed: str | None, option: str) -> None:
    shown = demo("replacement-loop", typed, option).result().shown
    refusal = "U0ONCALL asked for this repair and does not count among the approvers of step “Clear the condition"
    assert shown.count("REFUSED") == 1
    assert refusal in shown
    assert "@U0APPROVER1 @U0APPROVER2" in shown.partition("Clear the condition on the marked nodes: verified.")[2]
    assert "after the repair: 0; seen: 0" in shown


def test_an_option_that_cannot_be_chosen_ends_the_demo() -> None:
    with pytest.raises(NotRepaired, match="cannot be chosen here"):
        demo("swap-kubelet", None, "no-card").result()


def test_an_option_that_the_runbook_does_not_have_is_named_with_those_it_has() -> None:
    with pytest.raises(NoSuchOption, match=r"^demo-no-option 'everything' host-cuda, dont-know, vms, no-card$"):
        demo("swap-kubelet", None, "everything").result()


def test_who_keeps_the_card_has_it(for_the_vms: Future[CompletedProcess[str]]) -> None:
    done = for_the_vms.result()
    assert done.returncode == 0
    assert "On omen2: kubelet running, driver vfio-pci, CUDA job stopped" in done.stdout
    assert "REFUSED" in done.stdout, "stopping CUDA takes two people, and not who asked"
    assert "demo swap-kubelet --option vms" not in " ".join(done.stdout.split())
    assert between_the_cards(done.stdout) == []
    alone = demo("swap-kubelet").result().shown
    assert "On omen2: kubelet running, driver nvidia, CUDA job running" in alone
    assert "REFUSED" not in alone
    assert between_the_cards(alone) == []


def between_the_cards(shown: str) -> list[str]:
    """What nobody who watches a demo needs."""
    return [one for one in ("[info", "BEST EFFORT", "host-off", "guard-card") if one in shown]


def edit(client: redis.Redis) -> None:
    """The approval is told of another person."""
    stream = Keys(CLUSTER)("audit")
    rows = client.xrange(stream)
    client.delete(stream)
    for number, fields in rows:  # type: ignore[union-attr]
        client.xadd(stream, {b"line": fields[b"line"].replace(b"U0APPROVER1", b"U0APPROVER2")}, id=number)
