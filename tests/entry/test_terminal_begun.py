"""The terminal before the audit has begun, and in front of which cluster. Axes: what is pressed; who is believed."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.entry.cli import app
from bot.playground.apiserver.faults import Effect, Fault
from bot.playground.apiserver.server import SimulatedCluster
from tests.entry.test_repair import Terminal, terminal
from tests.support.controlplane import ADMIN
from tests.support.redis import redis_server, redis_url
from tests.support.servers import Simulated, WallClock, shared_simulated_server, simulated

__all__ = ["redis_server", "redis_url", "shared_simulated_server", "simulated", "terminal"]


@pytest.fixture
def fresh(redis_url: str, simulated: Simulated, tmp_path: Path) -> Terminal:
    """A terminal whose audit has not begun."""
    return Terminal(redis_url, simulated, tmp_path)


def test_before_the_audit_has_begun_a_look_says_how_and_leaves_it_possible(fresh: Terminal) -> None:
    looked = fresh.run("open")
    assert looked.exit_code == 0, looked.output
    assert "gpu-autopsy audit init" in " ".join(looked.output.replace("│", " ").split())
    assert "freeze-journal" not in looked.output
    assert fresh.run("audit", "init").exit_code == 0
    assert "NOT BEGUN" not in fresh.run("open").output


def test_before_the_audit_has_begun_nothing_is_done_and_the_way_on_is_named(fresh: Terminal) -> None:
    pressed = fresh.run("freeze", "odd")
    assert (pressed.exit_code, "audit init" in " ".join(pressed.output.replace("│", " ").split())) == (1, True)
    assert "stands in the audit" not in pressed.output
    offered = fresh.repair("--option", "host-cuda")
    assert (offered.exit_code, "audit init" in offered.output) == (2, True)
    assert fresh.run("audit", "init").exit_code == 0


def test_an_api_server_of_another_cluster_says_nobody_is_anybody(terminal: Terminal) -> None:
    with SimulatedCluster(WallClock(), users={ADMIN: ADMIN}) as other:
        kubeconfig = other.write_kubeconfig(terminal.folder / "other", ADMIN)
        uids = [
            one.store.find("namespaces", "", "kube-system")["metadata"]["uid"]  # type: ignore[index]
            for one in (other, terminal.server)
        ]
        said = CliRunner().invoke(app, ["freeze", "odd", "--kubeconfig", str(kubeconfig)], env=terminal.environ)
    assert said.exit_code != 0
    assert all(uid in str(said.exception) for uid in uids)
    assert "odd" not in terminal.run("open").output


def test_an_api_server_that_does_not_say_which_cluster_it_is_is_not_believed(terminal: Terminal) -> None:
    terminal.server.faults.add(Fault(effect=Effect.FORBIDDEN, verb="get", plural="namespaces"))
    said = terminal.run("open")
    assert said.exit_code != 0
    assert "kube-system: HTTP 403" in str(said.exception)


def test_a_journal_that_does_not_know_its_cluster_believes_nobody_until_it_is_told(fresh: Terminal) -> None:
    nowhere = {**fresh.environ, "KUBECONFIG": str(fresh.folder / "nowhere")}
    begun = CliRunner().invoke(app, ["audit", "init"], env=nowhere)
    assert (begun.exit_code, "could not be read" in begun.stderr) == (0, True)
    assert "does not say yet which cluster" in str(fresh.run("open").exception)
    assert fresh.run("audit", "init").exit_code == 0, "now it is told"
    assert fresh.run("open").exit_code == 0
    assert fresh.run("audit", "init").exit_code == 2
