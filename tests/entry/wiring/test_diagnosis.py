"""The terminal answers with what the bot in Slack knows. Axes: option, variable; signature, runbook, policy."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bot.entry.cli import app
from tests.support.objects import listed, node, write

ROOT = Path(__file__).parents[3]
LOOP = ROOT / "tests" / "scenarios" / "replacement-loop" / "dump"
#: A policy that tolerates half as long as that of AWS, under a name of its own.
OWN_POLICY = '[lab]\npolicy = [{ condition = "AcceleratedHardwareReady", status = "False", minutes = 5 }]\n'


def answer(*args: str | Path, **variables: str) -> dict[str, Any]:
    """The answer of `gpu-autopsy diagnose`."""
    done = CliRunner().invoke(app, ["diagnose", "--json", *map(str, args)], env=variables)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def tolerated(*args: str | Path, **variables: str) -> list[float]:
    """How long the repair policy bears the condition, in seconds, as the answer says."""
    told = answer("--from", LOOP, *args, **variables)
    return [one["values"]["toleration_seconds"] for one in told["facts"] if one["code"] == "repair-policy"]


def test_the_repair_policy_is_that_of_the_provider_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "policies.toml").write_text(OWN_POLICY)
    variables = {"AUTOPSY_KNOWLEDGE": str(tmp_path), "AUTOPSY_REPAIR_POLICY": "lab"}
    assert (tolerated(), tolerated("--knowledge", tmp_path, "--repair-policy", "lab")) == ([600], [300])
    assert (tolerated(**variables), tolerated("--repair-policy", "aws", **variables)) == ([300], [600])


@pytest.mark.parametrize("by", ["option", "variable"])
def test_a_signature_of_your_own_counts_here_too(tmp_path: Path, by: str) -> None:
    own = tmp_path / "own"
    write(own, "signatures.toml", '[[signature]]\ncode = "lab-fuse-blown"\nsource = "dmesg"\npattern = "fuse blown"\n')
    write(own, "words/en.toml", '[codes.lab-fuse-blown]\ntitle = "{subject}: our fuse is blown"\nwhy = "Ours."\n')
    journal = write(tmp_path, "a.log", "Nov 30 06:25:00 a kernel: the fuse blown today")
    folder = write(tmp_path, "dump/nodes.json", listed(node("a"))).parent
    args = ("--from", folder, "--journal", journal)
    told = answer(*args, "--knowledge", own) if by == "option" else answer(*args, AUTOPSY_KNOWLEDGE=str(own))
    assert [one["title"] for one in told["findings"]] == ["node/a: our fuse is blown"]


def test_a_runbook_of_your_own_replaces_ours_here_too(tmp_path: Path) -> None:
    for name in ("node-replacement-loop.md", "node-replacement-loop.ko.md"):
        text = (ROOT / "runbooks" / name).read_text(encoding="utf-8")
        write(tmp_path, f"runbooks/{name}", text.replace("[dcgm-library-missing, ", "["))
    ours, own = answer("--from", LOOP), answer("--from", LOOP, "--knowledge", tmp_path)
    assert [told["roots"][0]["runbook"] for told in (ours, own)] == ["node-replacement-loop", ""]


@pytest.mark.parametrize(
    ("args", "field"),
    [(("--repair-policy", "nonsense"), "repair_policy: 'nonsense'"), (("--knowledge", "/nowhere"), "'--knowledge'")],
)
def test_knowledge_that_is_not_there_is_status_2_and_named(args: tuple[str, str], field: str) -> None:
    command = [sys.executable, "-m", "bot", "diagnose", "--from", str(LOOP), *args]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert field in " ".join(done.stderr.split())
