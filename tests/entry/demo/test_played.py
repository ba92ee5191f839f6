"""Both outages, played to their repaired ends on the simulated cluster: what was predicted comes true.

Axes: scenario, option, who answers. Half a minute each, of waiting for world time.
"""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from bot.adapters.redis.embedded import EmbeddedServer
from bot.entry.demo.asking import Asker, AtTerminal, Nobody
from bot.entry.demo.repair import NoSuchOption
from bot.entry.wiring.demo import rehearsed
from tests.entry.dumps import python
from tests.support.redis import binary

pytestmark = pytest.mark.real

#: Enter to go on, the third option, Enter for whoever is suggested to restart the monitor; then for the step that
#: takes two people who asked, and both approvers.
THREE_PEOPLE = "\n3\n\n1\n2\n3\n"


def played(scenario: str, typed: str | None = None, option: str = "") -> str:
    """What was shown, as one line."""
    shown = StringIO()
    console = Console(file=shown, width=200)
    asker: Asker = Nobody() if typed is None else AtTerminal(console, StringIO(typed))
    with (
        EmbeddedServer(binary("embedded"), durable=True) as redis,
        rehearsed(scenario, redis.url, console, asker, lang="en", option=option),
    ):
        pass
    return " ".join(shown.getvalue().replace("│", " ").split())


def test_the_replacement_that_is_predicted_is_seen() -> None:
    assert "last replacements: 1; seen: 1" in played("replacement-loop")


@pytest.mark.parametrize(
    ("typed", "option"),
    [(THREE_PEOPLE, ""), (None, "without-gpu-monitor-cleared")],
    ids=["typed", "whoever is suggested"],
)
def test_a_step_of_two_people_refuses_who_asked_and_is_finished_by_two_others(typed: str | None, option: str) -> None:
    shown = played("replacement-loop", typed, option)
    refusal = "U0ONCALL asked for this repair and does not count among the approvers of step “Clear the condition"
    assert shown.count("REFUSED") == 1
    assert refusal in shown
    assert "@U0APPROVER1 @U0APPROVER2" in shown.partition("Clear the condition on the marked nodes: verified.")[2]
    assert "last replacements: 0; seen: 0" in shown


def test_an_option_that_the_runbook_does_not_have_is_named_with_those_it_has() -> None:
    with pytest.raises(NoSuchOption, match=r"'everything' is none of host-cuda, dont-know, vms, no-card"):
        played("swap-kubelet", option="everything")


@pytest.mark.parametrize(
    ("option", "end"),
    [("host-cuda", "driver nvidia, CUDA job running"), ("vms", "driver vfio-pci, CUDA job stopped")],
)
def test_who_keeps_the_card_has_it_and_nothing_stands_between_the_cards(option: str, end: str) -> None:
    command = f"sys.argv[1:] = ['demo', '--yes', '--option', '{option}']"
    done = python(f"import sys\nfrom bot.entry import cli\n{command}\ncli.main()")
    assert done.returncode == 0
    assert f"On omen2: kubelet running, {end}" in done.stdout
    assert not [one for one in ("[info", "BEST EFFORT", "host-off", "guard-card") if one in done.stdout]
    is_plain = option == "host-cuda"
    assert ("demo swap-kubelet --option vms" in " ".join(done.stdout.split())) is is_plain
    assert ("REFUSED" in done.stdout) is not is_plain, "stopping CUDA takes two people, and not who asked"
