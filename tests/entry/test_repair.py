"""The terminal's front, on the simulated cluster and a real Redis. Axes: who sits here, what they press, what lacks."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from typer.testing import CliRunner, Result

from bot.adapters.files.documents import documents
from bot.adapters.redis.client import Keys, connect
from bot.adapters.redis.presence import RedisPresence
from bot.entry.cli import app
from bot.entry.settings import load_settings
from bot.entry.wiring.execute import build
from bot.entry.wiring.repair import EXECUTOR
from tests.support.controlplane import ADMIN, NOBODY
from tests.support.kubeapi import KubeApi
from tests.support.redis import redis_server, redis_url
from tests.support.servers import Simulated, shared_simulated_server, simulated

__all__ = ["redis_server", "redis_url", "shared_simulated_server", "simulated"]

ROOT = Path(__file__).parents[2]
DUMP = ROOT / "tests/scenarios/swap-kubelet/dump"
JOURNAL = DUMP / "journal/omen2_kubelet.log"


class Terminal:
    """Runs commands with the settings of an operator."""

    def __init__(self, url: str, simulated: Simulated, folder: Path) -> None:
        simulated.server.load([one.item for path in sorted(DUMP.glob("*.yaml")) for one in documents(path) if one.item])
        config = folder / "config.toml"
        config.write_text(f'cluster = "lab"\nmutations = true\n[kubernetes_approvers]\n"{ADMIN}" = ""\n')
        self.url = url
        self.folder = folder
        self.server = simulated.server
        self.api = simulated.api()
        self.environ = {
            "AUTOPSY_CONFIG": str(config),
            "AUTOPSY_AUDIT_KEY": "k" * 32,
            "AUTOPSY_DURABILITY": "best-effort",
            "REDIS_URL": url,
        }

    def run(self, *words: str, user: str = ADMIN, lacks: str = "") -> Result:
        kubeconfig = self.server.write_kubeconfig(self.folder / f"kubeconfig-{user}", user)
        environ = {name: value for name, value in self.environ.items() if name != lacks}
        if words[0] != "audit":
            words = (*words, "--kubeconfig", str(kubeconfig))
        return CliRunner().invoke(app, list(words), env={**dict.fromkeys(self.environ), **environ})

    def repair(self, *more: str, user: str = ADMIN) -> Result:
        return self.run("repair", "node/omen2", "--journal", str(JOURNAL), *more, user=user)


@pytest.fixture
def terminal(redis_url: str, simulated: Simulated, tmp_path: Path) -> Terminal:
    one = Terminal(redis_url, simulated, tmp_path)
    assert one.run("audit", "init").exit_code == 0
    return one


def plan_of(result: Result) -> str:
    """The plan's id, as the cards show it."""
    words = result.output.replace("│", " ").split()
    return next(one for one in words if one.endswith("-1") and len(one) == 10)


def test_a_plan_is_shown_chosen_reported_and_its_order_kept(terminal: Terminal) -> None:
    chosen = terminal.repair("--option", "host-cuda")
    assert chosen.exit_code == 0, chosen.output
    plan = plan_of(chosen)
    early = terminal.run("report", plan, "host-off")
    assert early.exit_code == 1, "out of order"
    assert plan_of(terminal.repair()) == plan, "the one that is there"
    listed = terminal.run("open")
    assert listed.exit_code == 0
    assert "omen2" in listed.output
    assert terminal.run("audit", "verify").exit_code == 0


def test_who_is_no_approver_is_refused(terminal: Terminal) -> None:
    # NOBODY may read the cluster here: it is the bot's own list that keeps them out.
    terminal.server.faults.clear()
    refused = terminal.repair("--option", "host-cuda", user=NOBODY)
    assert refused.exit_code == 1, refused.output
    assert terminal.run("freeze", "odd", user=NOBODY).exit_code == 1
    assert terminal.run("unfreeze").exit_code == 1, "nothing was frozen"


def test_freezing_and_a_second_person(terminal: Terminal) -> None:
    assert terminal.run("freeze", "something is odd").exit_code == 0
    assert "something is odd" in terminal.run("open").output
    assert terminal.run("unfreeze").exit_code == 0
    assert terminal.run("unfreeze").exit_code == 1, "the same person again"
    assert "something is odd" in terminal.run("open").output


@pytest.mark.parametrize(
    ("lacks", "said"), [("AUTOPSY_AUDIT_KEY", "audit key"), ("REDIS_URL", "REDIS_URL")], ids=["no key", "no Redis"]
)
def test_without_the_shared_store_there_is_no_front(terminal: Terminal, lacks: str, said: str) -> None:
    result = terminal.run("open", lacks=lacks)
    assert result.exit_code != 0
    assert said in str(result.exception)


def test_a_choice_goes_to_the_executor_where_there_is_one(terminal: Terminal) -> None:
    client, keys = connect(terminal.url), Keys("lab")
    RedisPresence(client, keys, EXECUTOR).say()
    offered = terminal.run("repair", "node/omen2", "--journal", str(JOURNAL), "--option", "host-cuda", "--wait", "0")
    assert offered.exit_code == 2, offered.output
    assert client.xlen(keys("choices")) == 1


def test_the_executor_builds_what_was_chosen_and_runs_what_was_approved(terminal: Terminal) -> None:
    stop = Event()
    terminal.api.add_namespace()
    kubeconfig = terminal.server.write_kubeconfig(terminal.folder / "executor", ADMIN)
    nowhere = {"SLACK_API_URL": "http://127.0.0.1:9/", "SLACK_BOT_TOKEN": "xoxb-1", "SLACK_APP_TOKEN": "xapp-1"}
    more = {"AUTOPSY_EXECUTOR_KUBECONFIG": str(kubeconfig), "AUTOPSY_TEAM": "T0TEAM", "AUTOPSY_WEBHOOK_PORT": "0"}
    service = build(load_settings({**terminal.environ, **nowhere, **more}), stop)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(service.run)
        try:
            present = RedisPresence(connect(terminal.url), Keys("lab"), EXECUTOR)
            assert within(20, present.is_there)
            chosen = terminal.repair("--option", "host-cuda", "--wait", "20")
            assert chosen.exit_code == 0, chosen.output
            assert terminal.run("approve", plan_of(chosen), "guard-card", "--yes").exit_code == 0
            assert within(20, lambda: mode(terminal.api) == "container")
        finally:
            stop.set()
        assert running.result(30)


def within(seconds: float, happened: Callable[[], bool]) -> bool:
    until = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def mode(api: KubeApi) -> str:
    omen2 = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "omen2"}}
    return str(api.get(omen2)["metadata"]["labels"]["nvidia.com/gpu.workload.config"])


def test_no_such_plan_and_no_such_step(terminal: Terminal) -> None:
    plan = plan_of(terminal.repair("--option", "host-cuda"))
    assert terminal.run("approve", "nothing-1", "guard-card", "--yes").exit_code == 2
    assert terminal.run("approve", plan, "nothing", "--yes").exit_code == 2
