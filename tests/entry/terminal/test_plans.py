"""Plans from a terminal, on the simulated cluster and a real Redis. Axes: who sits here, what they say, what lacks."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from bot.adapters.redis.client import Keys, connect
from bot.adapters.redis.incidents import RedisIncidents
from bot.adapters.redis.presence import RedisPresence
from bot.app.repair.standing import taken
from bot.entry.settings import load_settings
from bot.entry.wiring.execute import build
from bot.entry.wiring.repair import EXECUTOR
from bot.remedy.plan import Actor
from tests.entry.terminal.stage import JOURNAL, LOOP, Terminal, flat, plan_of, terminal
from tests.support.controlplane import ADMIN, NOBODY
from tests.support.kubeapi import KubeApi
from tests.support.redis import redis_server, redis_url
from tests.support.servers import Simulated, shared_simulated_server, simulated

__all__ = ["redis_server", "redis_url", "shared_simulated_server", "simulated", "terminal"]


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
    terminal.everybody_may_look()
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


def test_a_plan_that_is_there_is_chosen_by_its_id(terminal: Terminal) -> None:
    plan = plan_of(terminal.repair("--option", "no such way"))
    asked = terminal.run("choose", plan)
    assert (asked.exit_code, "Which option" in asked.output) == (1, True), "nothing is typed"
    chosen = terminal.run("choose", plan, "host-cuda")
    assert (chosen.exit_code, "Step 1 of " in chosen.output) == (0, True), chosen.output
    assert terminal.plan(plan).option == "host-cuda"


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


@pytest.fixture
def looping(redis_url: str, simulated: Simulated, tmp_path: Path) -> Terminal:
    """Karpenter's loop, which is ended by a change that is temporary; people make it, and two say so."""
    one = Terminal(redis_url, simulated, tmp_path, LOOP, also=NOBODY)
    one.everybody_may_look()
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
    chosen = terminal.repair("--option", "host-cuda")
    plan = plan_of(chosen)
    assert f"gpu-autopsy choose {plan} host-cuda" in flat(chosen)
    assert f"gpu-autopsy report {plan} guard-card --file FILE" in flat(chosen)
    assert f"gpu-autopsy details {plan} guard-card" in flat(chosen)
    assert chosen.output.count("Step 1 of ") == 1, "each card once"


def test_a_temporary_change_is_taken_back_by_command(looping: Terminal) -> None:
    plan = switched_off(looping)
    assert f"plan {plan}, step gate-off" in looping.run("open").output
    undone = looping.run("undo", plan, "gate-off")
    assert undone.exit_code == 0, undone.output
    undo = f"{plan.partition('-')[0]}-2"
    assert "nodeRepair=true" in undone.output
    assert undone.output.count("WAITING FOR A PERSON") == 1, "each card once"
    assert f"gpu-autopsy report {undo} gate-on" in flat(undone)

    again = looping.run("undo", plan, "gate-off")
    assert (again.exit_code, undo in again.output) == (1, True), again.output
    for user in (ADMIN, NOBODY):
        assert looping.run("report", undo, "gate-on", user=user).exit_code == 0
    assert looping.run("audit", "verify").exit_code == 0


def test_a_change_that_is_gone_with_its_object_is_said_to_be_gone(looping: Terminal) -> None:
    plan = switched_off(looping)
    target = looping.plan(plan).step("gate-off").action.target.ref
    assert target.kind == "deploy"
    looping.api.delete(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": target.name, "namespace": target.namespace},
        }
    )
    undone = looping.run("undo", plan, "gate-off", "--wait", "0")
    assert undone.exit_code == 0, undone.output
    assert looping.plan(plan).step("gate-off").gone_at is not None
    assert "gone" in flat(undone)


@pytest.mark.parametrize(
    ("lang", "said"), [("en", "no runbook for what is wrong here"), ("ko", "이 문제를 다루는 런북이 없거나")]
)
def test_what_is_said_beside_the_cards_is_in_the_language_that_was_asked_for(
    terminal: Terminal, lang: str, said: str
) -> None:
    nothing = terminal.run("repair", "node/omen1", "--lang", lang)
    assert (nothing.exit_code, said in flat(nothing)) == (2, True), nothing.output


def test_a_name_that_is_mistyped_repairs_nothing_else(terminal: Terminal) -> None:
    mistyped = terminal.run("repair", "node/omne2", "--journal", str(JOURNAL), "--option", "host-cuda")
    assert (mistyped.exit_code, "node/omne2: no such object" in flat(mistyped)) == (2, True), mistyped.output
    in_korean = terminal.run("repair", "node/omne2", "--lang=ko")
    assert (in_korean.exit_code, "node/omne2: 이런 오브젝트가 없고" in flat(in_korean)) == (2, True), in_korean.output
    assert terminal.journal.plans() == ()
    assert terminal.pastes.texts() == (), "of what is not there no file is kept"
    terminal.repair("--option", "host-cuda")
    assert terminal.pastes.texts() != (), "the control"


@pytest.mark.parametrize(("option", "status"), [("", 0), ("host-cuda", 0), ("vms", 1), ("no-such-way", 1)])
def test_another_way_than_was_chosen_is_refused(terminal: Terminal, option: str, status: int) -> None:
    plan = plan_of(terminal.repair("--option", "host-cuda"))
    before = terminal.plan(plan)
    again = terminal.repair("--option", option, "--wait", "1")
    assert (again.exit_code, "has chosen already" in flat(again)) == (status, status == 1), again.output
    assert [one["details.reason"] for one in terminal.told("refused")] == ["repair-chosen-already"] * status
    assert terminal.plan(plan) == before


@pytest.mark.parametrize("owner", ["", ADMIN])
def test_what_was_denied_stays_open(terminal: Terminal, owner: str) -> None:
    plan = plan_of(terminal.repair("--option", "host-cuda"))
    if owner:
        incidents = RedisIncidents(connect(terminal.url), Keys("lab"))
        (one,) = incidents.all_open()
        assert incidents.save(one, taken(one, Actor(owner))) is not None
    assert terminal.run("deny", plan, "guard-card", "--reason", "another way").exit_code == 0
    listed = flat(terminal.run("open"))
    assert "Open incidents: 1" in listed
    assert f"nobody is at work on it: plan {plan} was denied" in listed
    assert (owner or "no owner yet") in listed


def test_an_outcome_says_where_the_audit_stood(terminal: Terminal) -> None:
    plan = plan_of(terminal.repair("--option", "host-cuda"))
    denied = terminal.run("deny", plan, "guard-card", "--reason", "another way")
    anchors = set(re.findall(r"audit (\d+:[0-9a-f]{12})\b", " ".join(denied.output.replace("│", " ").split())))
    assert len(anchors) == 1, "of the step and of the plan, read at one moment"
    assert terminal.run("audit", "verify", "--anchor", *anchors).exit_code == 0
    assert terminal.run("audit", "verify", "--anchor", "2:000000000000").exit_code == 1, "the control"


def test_what_is_not_temporary_is_not_taken_back(terminal: Terminal) -> None:
    plan = plan_of(terminal.repair("--option", "host-cuda"))
    refused = terminal.run("undo", plan, "guard-card")
    assert refused.exit_code == 1
    assert "no temporary change" in flat(refused)
    assert terminal.run("undo", plan, "nothing").exit_code == 1
