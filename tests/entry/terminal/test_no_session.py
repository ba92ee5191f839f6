"""When nothing is repaired from a terminal. Axes: what lacks, whether the audit has begun, whose API server it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.entry.cli import app
from bot.playground.apiserver.faults import Effect, Fault
from bot.playground.apiserver.server import SimulatedCluster
from tests.entry.terminal.stage import JOURNAL, Terminal, fresh, terminal
from tests.support.controlplane import ADMIN
from tests.support.redis import redis_server, redis_url
from tests.support.servers import WallClock, shared_simulated_server, simulated

__all__ = ["fresh", "redis_server", "redis_url", "shared_simulated_server", "simulated", "terminal"]


@pytest.mark.parametrize(
    ("lacks", "said"), [("AUTOPSY_AUDIT_KEY", "audit key"), ("REDIS_URL", "REDIS_URL")], ids=["no key", "no Redis"]
)
def test_without_the_shared_store_there_is_no_repair(terminal: Terminal, lacks: str, said: str) -> None:
    result = terminal.run("open", lacks=lacks)
    assert result.exit_code != 0
    assert said in str(result.exception)


def test_another_key_than_the_audits_is_refused_and_writes_nothing(terminal: Terminal) -> None:
    before = len(terminal.journal.entries())
    terminal.environ["AUTOPSY_AUDIT_KEY"] = "another key of 32 bytes or more, mistyped"
    for words in (("open",), ("freeze", "wrong node!")):
        assert "AUTOPSY_AUDIT_KEY does not fit" in str(terminal.run(*words).exception)
    assert len(terminal.journal.entries()) == before
    assert not terminal.journal.read("").freeze.frozen


def test_a_store_that_is_out_of_reach_is_said_in_a_sentence(terminal: Terminal) -> None:
    terminal.environ["REDIS_URL"] = "redis://127.0.0.1:9/0"
    for words in (("open",), ("repair", "node/omen2", "--journal", str(JOURNAL))):
        result = terminal.run(*words)
        assert isinstance(result.exception, ValueError)
        assert str(result.exception) == "Redis is out of reach"


@pytest.mark.parametrize(("lang", "said"), [("en", "No plan is offered here"), ("ko", "수리 계획을 제시하지 않")])
def test_without_an_audit_key_it_is_said_that_no_plan_is_offered_and_which_setting_lacks(
    terminal: Terminal, lang: str, said: str
) -> None:
    result = terminal.run("repair", "node/omen2", "--lang", lang, lacks="AUTOPSY_AUDIT_KEY")
    assert result.exit_code != 0
    assert said in str(result.exception)
    assert "AUTOPSY_AUDIT_KEY_FILE" in str(result.exception)


def test_people_with_two_names_need_the_workspace_of_the_second_one(terminal: Terminal) -> None:
    """Without it their votes here would be those of somebody else than their votes in Slack."""
    config = Path(terminal.environ["AUTOPSY_CONFIG"])
    config.write_text(config.read_text().replace(f'"{ADMIN}" = ""', f'"{ADMIN}" = "U0ADMIN"'))
    refused = terminal.run("open")
    assert refused.exit_code != 0
    assert "AUTOPSY_TEAM" in str(refused.exception)
    terminal.environ["AUTOPSY_TEAM"] = "T0TEAM"
    assert terminal.run("open").exit_code == 0


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
    in_korean = fresh.repair("--option", "host-cuda", "--lang", "ko")
    assert (in_korean.exit_code, "감사 기록이 없어" in in_korean.output) == (2, True)
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
