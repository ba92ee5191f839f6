"""The two founding answers as people read them: what stands where, how long it is. Axes: scenario, language, width."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

from bot.entry.cli import app
from tests.support.scenarios import FOLDER

SWAP, LOOP = "swap-kubelet", "replacement-loop"


def answer(dump: Path, *args: str, width: int = 100) -> str:
    """What the terminal shows."""
    return CliRunner(env={"COLUMNS": str(width)}).invoke(app, ["diagnose", "--from", str(dump), *args]).stdout


def dump(scenario: str) -> Path:
    return FOLDER / scenario / "dump"


@pytest.fixture
def without_journal(tmp_path: Path) -> Path:
    return Path(shutil.copytree(dump(SWAP), tmp_path / "dump", ignore=shutil.ignore_patterns("journal")))


@pytest.mark.parametrize(("scenario", "lines"), [(SWAP, 99), (LOOP, 82)])
def test_an_answer_is_short(scenario: str, lines: int) -> None:
    assert len(answer(dump(scenario)).splitlines()) <= lines


@pytest.mark.parametrize("width", [60, 80, 100])
@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("scenario", [SWAP, LOOP])
def test_no_line_is_too_wide_or_ends_in_spaces(scenario: str, lang: str, width: int) -> None:
    shown = answer(dump(scenario), "--lang", lang, width=width).splitlines()
    assert not [line for line in shown if line != line.rstrip() or cell_len(line) > width]


def test_swap_says_what_not_to_touch_then_root_and_machine_then_the_rest_once() -> None:
    shown = answer(dump(SWAP), width=200)
    top = shown[: shown.index("BROKEN")]
    assert top.index("DO NOT run swapoff") < top.index("DO NOT force-delete")
    assert "omen1" not in top
    assert (
        "Root: swap is on, so the kubelet of omen2 refuses to start; VM gpu-fedora finds no node (ErrorUnschedulable), "
        "since 2026-07-10 15:41 UTC (112 days) (and 2 more)\n"
    ) in shown
    for once in (
        "DO NOT run swapoff or start the kubelet yet on omen1, omen3\n",
        "• the kubelet of omen1, omen3, omen4 is dead, since 2026-07-10 15:39 UTC (112 days)\n",
        "• omen1, omen3, omen4: whether only the kubelet died, or the host or its network too: ",
        "    ssh omen1 uptime  # the same for omen3, omen4\n",
        "• allocatable of omen2, omen1, omen3, omen4 still shows the GPU. ",
    ):
        assert shown.count(once) == 1
    assert shown.endswith("\n\nNext: follow the runbook kubelet-swap\n")


def test_without_the_journal_the_next_step_is_the_command_that_settles_the_cause(without_journal: Path) -> None:
    shown = answer(without_journal)
    assert "As far as it was seen: the kubelet of omen2 is dead [observed] · cause not seen\n" in shown
    assert shown.endswith("Next: this command settles it\n    ssh omen2 sudo journalctl -u kubelet -b -n 50\n")


@pytest.mark.parametrize(
    "told",
    [
        "• ip-10-0-42-131.eu-west-1.compute.internal is deleted from 2025-06-11 08:59 UTC on. ",
        "• 4 replacements, every 11m50s; the policy tolerates 10m",
        "• policy: AcceleratedHardwareReady=False is tolerated for 10m",
        "• breaker of nodepool/gpu: 1 of 1 nodes unhealthy, 1 allowed. ",
        "• not the GPU hardware of nodepool/gpu. The same message comes from one machine after the other",
    ],
)
def test_the_loop_keeps_its_circumstances(told: str) -> None:
    assert told in answer(dump(LOOP), width=200)


@pytest.mark.parametrize(("scenario", "runbook"), [(SWAP, "kubelet-swap"), (LOOP, "node-replacement-loop")])
def test_the_json_names_the_runbook_and_where_the_moment_was_read(scenario: str, runbook: str) -> None:
    said = json.loads(answer(dump(scenario), "--json"))
    assert (said["roots"][0]["runbook"], said["next_step"]) == (runbook, runbook)
    assert (said["at_source"], said["at_where"].startswith("lease/")) == ("newest-in-files", True)
    assert f"({said['at_where']})" in answer(dump(scenario), width=200)


def test_the_json_has_an_entry_for_every_object() -> None:
    said = json.loads(answer(dump(SWAP), "--json"))
    stale = [one["subject"] for one in said["proves_nothing"] if one["code"] == "allocatable-stale"]
    assert sorted(stale) == ["node/omen1", "node/omen2", "node/omen3", "node/omen4"]
    assert {"node/omen1", "node/omen3", "node/omen4"} <= {one["subject"] for one in said["not_seen"]}


def test_all_shows_every_quote_of_the_json() -> None:
    said = json.loads(answer(dump(LOOP), "--json"))
    shown = answer(dump(LOOP), "--all", width=1000)
    quotes = [
        one for part in ("roots", "facts", "ruled_out", "affected") for root in said[part] for one in root["evidence"]
    ]
    assert quotes
    assert not [one["quote"] for one in quotes if f"«{one['quote']}»" not in shown]
