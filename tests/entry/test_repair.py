"""The terminal's front, on the simulated cluster and a real Redis. Axes: who sits here, what they press, what lacks."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from typer.testing import CliRunner, Result

from bot.adapters.redis.client import Keys, connect
from bot.adapters.redis.presence import RedisPresence
from bot.entry.cli import app
from bot.entry.settings import load_settings
from bot.entry.wiring.execute import build
from bot.entry.wiring.repair import EXECUTOR
from bot.playground.apiserver.faults import Effect, Fault
from bot.playground.apiserver.server import SimulatedCluster
from tests.support import worldtime
from tests.support.controlplane import ADMIN, NOBODY
from tests.support.kubeapi import KubeApi
from tests.support.redis import redis_server, redis_url
from tests.support.servers import Simulated, WallClock, shared_simulated_server, simulated

__all__ = ["redis_server", "redis_url", "shared_simulated_server", "simulated"]

ROOT = Path(__file__).parents[2]
DUMP = ROOT / "tests/scenarios/swap-kubelet/dump"
LOOP = ROOT / "tests/scenarios/replacement-loop/dump"
JOURNAL = DUMP / "journal/omen2_kubelet.log"


class Terminal:
    """Runs commands with the settings of an operator."""

    def __init__(self, url: str, simulated: Simulated, folder: Path, dump: Path = DUMP, also: str = "") -> None:
        simulated.server.load(worldtime.objects(dump))
        config = folder / "config.toml"
        approvers = "".join(f'"{one}" = ""\n' for one in (ADMIN, also) if one)
        config.write_text(f'cluster = "lab"\nmutations = true\n[kubernetes_approvers]\n{approvers}')
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
        if words[0] != "audit" or words[1] == "init":
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


def test_a_store_that_is_out_of_reach_is_said_in_a_sentence(terminal: Terminal) -> None:
    terminal.environ["REDIS_URL"] = "redis://127.0.0.1:9/0"
    for words in (("open",), ("repair", "node/omen2", "--journal", str(JOURNAL))):
        result = terminal.run(*words)
        assert isinstance(result.exception, ValueError)
        assert str(result.exception) == "Redis is out of reach"


@pytest.mark.parametrize(("lang", "said"), [("en", "No plan is offered here"), ("ko", "수리 계획을 제시하지 않습니다")])
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
            refused = terminal.repair("--option", "nothing", "--wait", "20")
            assert (refused.exit_code, "REFUSED" in refused.output) == (1, True), "what the executor says stands here"
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


@pytest.fixture
def looping(redis_url: str, simulated: Simulated, tmp_path: Path) -> Terminal:
    """Karpenter's loop, which is ended by a change that is temporary; people make it, and two say so."""
    one = Terminal(redis_url, simulated, tmp_path, LOOP, also=NOBODY)
    # Here they may read the cluster.
    one.server.faults.clear()
    assert one.run("audit", "init").exit_code == 0
    return one


def switched_off(looping: Terminal) -> str:
    """The plan whose temporary change is made."""
    (pool,) = looping.api.items("karpenter.sh", "v1", "nodepools")
    name = pool["metadata"]["name"]
    chosen = looping.run("repair", f"nodepool/{name}", "--option", "without-node-repair")
    assert chosen.exit_code == 0, chosen.output
    plan = plan_of(chosen)
    for user in (ADMIN, NOBODY):
        told = looping.run("report", plan, "gate-off", user=user)
        assert told.exit_code == 0, told.output
    return plan


def test_what_can_be_pressed_is_shown_as_the_command_that_does_it(terminal: Terminal) -> None:
    chosen = terminal.repair("--option", "host-cuda").output
    plan = plan_of(terminal.repair())
    flat = " ".join(chosen.replace("│", " ").split())
    assert "--option host-cuda" in flat
    assert f"gpu-autopsy report {plan} guard-card --file FILE" in flat
    assert chosen.count("Step 1 of ") == 1, "each card once"
    assert "Details" not in chosen, "there is no such command"


def test_a_temporary_change_is_taken_back_by_command(looping: Terminal) -> None:
    plan = switched_off(looping)
    assert f"plan {plan}, step gate-off" in looping.run("open").output
    undone = looping.run("undo", plan, "gate-off")
    assert undone.exit_code == 0, undone.output
    undo = f"{plan.partition('-')[0]}-2"
    assert "nodeRepair=true" in undone.output
    assert undone.output.count("WAITING FOR A PERSON") == 1, "each card once"
    assert f"gpu-autopsy report {undo} gate-on" in " ".join(undone.output.replace("│", " ").split())

    again = looping.run("undo", plan, "gate-off")
    assert (again.exit_code, undo in again.output) == (1, True), again.output
    for user in (ADMIN, NOBODY):
        assert looping.run("report", undo, "gate-on", user=user).exit_code == 0
    assert looping.run("audit", "verify").exit_code == 0


def test_what_is_not_temporary_is_not_taken_back(terminal: Terminal) -> None:
    plan = plan_of(terminal.repair("--option", "host-cuda"))
    refused = terminal.run("undo", plan, "guard-card")
    assert refused.exit_code == 1
    assert "no temporary change" in " ".join(refused.output.replace("│", " ").split())
    assert terminal.run("undo", plan, "nothing").exit_code == 2
