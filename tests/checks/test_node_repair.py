"""Axes: the gate (on, off, silent, not found, by flag); which row fires; the node there or going; the breaker."""

from datetime import timedelta

import pytest

from bot.adapters.files.knowledge import load_policies
from bot.checks import node_repair
from bot.checks.views.karpenter import Gate, node_repair_gate
from bot.diagnose.run import run_checks
from bot.model.findings import Kind, Severity
from bot.model.objects import Condition
from bot.model.refs import Ref
from bot.model.snapshot import NOT_COLLECTED
from tests.support.replacement import (
    ago,
    ask,
    blinds,
    claim,
    cluster,
    codes,
    diagnosed,
    found,
    karpenter,
    mark,
    node,
    old_dialect,
)

CHECK = node_repair.CHECK
MARKED = (node("n1", mark(minutes=4)),)


@pytest.mark.parametrize(
    ("gates", "args", "state"),
    [
        ("NodeRepair=true", (), Gate.ON),
        ("ReservedCapacity=true,NodeRepair=True", (), Gate.ON),
        ("NodeRepair=false", (), Gate.OFF),
        ("ReservedCapacity=true", (), Gate.OFF),
        ("", (), Gate.UNKNOWN),
        (None, (), Gate.UNKNOWN),
        (None, ("--feature-gates=NodeRepair=true",), Gate.ON),
        ("NodeRepair=true", ("--feature-gates=NodeRepair=false",), Gate.OFF),
    ],
)
def test_the_gate_is_read_from_the_deployment(gates: str | None, args: tuple[str, ...], state: Gate) -> None:
    assert node_repair_gate(cluster(deployments=(karpenter(gates, args),))).state is state


@pytest.mark.parametrize(
    ("gates", "args", "changeable"),
    [
        ("ReservedCapacity=false,NodeRepair=true", (), {"container", "gates"}),
        # A flag wins over the variable, so a variable would change nothing.
        ("NodeRepair=true", ("--feature-gates=NodeRepair=true",), set()),
    ],
)
def test_what_a_change_of_the_gate_needs_to_know(gates: str, args: tuple[str, ...], changeable: set[str]) -> None:
    reading = node_repair_gate(cluster(deployments=(karpenter(gates, args),)))
    assert set(reading.values) == changeable
    assert str(reading.deployment) == "deploy/kube-system/karpenter"


@pytest.mark.parametrize("deployments", [(), NOT_COLLECTED])
def test_a_gate_that_is_not_found_is_not_known(deployments: object) -> None:
    assert node_repair_gate(cluster(deployments=deployments)).state is Gate.UNKNOWN


def test_gate_on_and_a_row_that_fires() -> None:
    answers = ask(CHECK, cluster(nodes=MARKED, deployments=(karpenter(),)))
    assert codes(answers) == {
        ("node-repair-deletes", "nodepool/gpu"),
        ("karpenter-node-repair", "nodepool/gpu"),
        ("repair-gate", "nodepool/gpu"),
        ("repair-policy", "nodepool/gpu"),
        ("next-deletion", "node/n1"),
    }
    assert found(answers, "repair-policy").values["toleration"] == "10m"
    assert found(answers, "next-deletion").values["at"] == ago(4) + timedelta(minutes=10)
    assert found(answers, "karpenter-node-repair").kind is Kind.ACTING


def test_gate_off_deletes_nothing_and_is_said() -> None:
    answers = ask(CHECK, cluster(nodes=MARKED, deployments=(karpenter("NodeRepair=false"),)))
    assert codes(answers) == {("repair-gate-off", "nodepool/gpu")}
    assert found(answers, "repair-gate-off").refs["held"] == (Ref("node", "n1"),), "it goes when the gate is back"
    assert not blinds(answers)


def test_a_gate_that_was_turned_off_may_have_been_on_while_the_nodes_went() -> None:
    gates = karpenter("NodeRepair=false")
    snapshot = cluster(nodes=(node("n1", mark(), age=6),), events=old_dialect((29, 18, 7)), deployments=(gates,))
    (blind,) = blinds(ask(CHECK, snapshot))
    assert (blind.why, blind.codes) == ("repair-gate-off-now", ("node-repair-deletes",))
    assert blind.command == "kubectl rollout history -n kube-system deploy/karpenter"


def test_with_the_gate_off_a_deletion_that_runs_is_still_said_and_nobody_acts_any_more() -> None:
    snapshot = cluster(
        nodes=(node("n1", mark(minutes=12), deleting=2), node("n2", mark(minutes=3))),
        nodeclaims=(claim("gpu-aaaaa", "n1", deleting=2, forced=True), claim("gpu-bbbbb", "n2")),
        deployments=(karpenter("NodeRepair=false"),),
    )
    assert {code for code, _ in codes(ask(CHECK, snapshot))} == {
        "node-repair-deletes",
        "repair-gate-off",
        "deletion-running",
    }


def test_gate_not_seen_cannot_be_told() -> None:
    (blind,) = blinds(ask(CHECK, cluster(nodes=MARKED)))
    assert (blind.why, blind.codes, str(blind.subject)) == (
        "repair-gate-not-seen", ("node-repair-deletes",), "nodepool/gpu",
    )  # fmt: skip


def test_a_deletion_past_every_budget_shows_repair_at_work_without_the_gate() -> None:
    snapshot = cluster(
        nodes=(node("n1", mark(minutes=12), deleting=2),),
        nodeclaims=(claim("gpu-aaaaa", "n1", deleting=2, forced=True),),
    )
    answers = ask(CHECK, snapshot)
    assert ("node-repair-deletes", "nodepool/gpu") in codes(answers)
    assert found(answers, "deletion-running").values["since"] == ago(2)
    assert ("next-deletion", "node/n1") not in codes(answers)
    assert [one.codes for one in blinds(answers)] == [("repair-gate",)]


def test_a_deletion_runs_from_its_nodeclaims_on() -> None:
    """Karpenter deletes the NodeClaim, whose finalizer then deletes the node."""
    snapshot = cluster(
        nodes=(node("n1", mark(minutes=12)), node("n2", mark(minutes=3))),
        nodeclaims=(claim("gpu-aaaaa", "n1", deleting=0.1, forced=True), claim("gpu-bbbbb", "n2")),
        deployments=(karpenter(),),
    )
    answers = ask(CHECK, snapshot)
    running = found(answers, "deletion-running")
    assert (str(running.subject), running.values["since"]) == ("node/n1", ago(0.1))
    assert [str(one.object) for one in running.evidence] == ["nodeclaim/gpu-aaaaa"]
    assert ("next-deletion", "node/n1") not in codes(answers)


@pytest.mark.parametrize(
    ("row", "minutes"),
    [
        (Condition(type="Ready", status="Unknown", last_transition_time=ago(9)), 30),
        (Condition(type="Ready", status="False", last_transition_time=ago(9)), 30),
        (mark(minutes=9, kind="KernelReady"), 30),
        (mark(minutes=9), 10),
    ],
)
def test_the_row_of_the_policy_says_when(row: Condition, minutes: int) -> None:
    answers = ask(CHECK, cluster(nodes=(node("n1", row),), deployments=(karpenter(),)))
    assert found(answers, "next-deletion").values["at"] == ago(9) + timedelta(minutes=minutes)


@pytest.mark.parametrize(
    "one",
    [
        Condition(type="Ready", status="False", last_transition_time=ago(1)),
        Condition(type="MemoryPressure", status="True", last_transition_time=ago(60)),
        Condition(type="DiskPressure", status="True", last_transition_time=ago(60)),
        Condition(type="KernelDeadlock", status="True", last_transition_time=ago(60)),
    ],
)
def test_a_booting_node_and_conditions_without_a_row_are_quiet(one: Condition) -> None:
    assert ask(CHECK, cluster(nodes=(node("n1", one),), deployments=(karpenter(),))) == []


def test_the_earliest_row_wins() -> None:
    both = (mark(minutes=3), mark(minutes=28, kind="KernelReady"))
    answers = ask(CHECK, cluster(nodes=(node("n1", *both),), deployments=(karpenter(),)))
    assert found(answers, "repair-policy").values["condition"] == "KernelReady"


def test_a_node_that_karpenter_does_not_own_is_not_its_to_repair() -> None:
    snapshot = cluster(nodes=(node("n1", mark(), pool=""),), deployments=(karpenter(),))
    assert ask(CHECK, snapshot) == []


def test_above_the_breaker_nothing_is_deleted() -> None:
    nodes = tuple(node(f"n{i}", mark()) for i in range(4))
    assert codes(ask(CHECK, cluster(nodes=nodes, deployments=(karpenter(),)))) == {("repair-gate", "nodepool/gpu")}


def test_between_two_generations_it_cannot_tell() -> None:
    snapshot = cluster(nodes=(node("new", age=1),), events=old_dialect((25, 13, 1)), deployments=(karpenter(),))
    (blind,) = blinds(ask(CHECK, snapshot))
    assert blind.why == "nodes-too-young"
    diagnosis = diagnosed(snapshot)
    assert [root.finding.code for root in diagnosis.roots] == ["dcgm-library-missing"]


def test_without_nodes_it_cannot_tell() -> None:
    assert run_checks((CHECK,), cluster(nodes=NOT_COLLECTED)).blind


@pytest.mark.parametrize(
    ("provider", "condition", "status", "minutes"),
    [
        ("aws", "AcceleratedHardwareReady", "False", 10),
        ("aws", "Ready", "Unknown", 30),
        ("azure", "Ready", "False", 10),
        ("azure", "PreemptionScheduled", "True", 0),
        ("gcp", "KernelDeadlock", "True", 5),
        ("alibaba", "Ready", "False", 30),
    ],
)
def test_rows_differ_by_provider(provider: str, condition: str, status: str, minutes: int) -> None:
    row = next(row for row in load_policies(provider) if (row.condition, row.status) == (condition, status))
    assert row.toleration == timedelta(minutes=minutes)


@pytest.mark.parametrize("provider", ["azure", "cluster-api"])
def test_a_provider_without_the_row_does_not_delete(provider: str) -> None:
    snapshot = cluster(nodes=MARKED, deployments=(karpenter(),), repair_policies=load_policies(provider))
    assert ask(CHECK, snapshot) == []


def test_a_healthy_cluster_with_karpenter_has_nothing_above_info() -> None:
    good = mark("True", minutes=300, reason="NvidiaGPUIsReady", message="")
    nodes = tuple(node(f"n{i}", good, age=600 - 90 * i) for i in range(4))
    claims = tuple(claim(f"gpu-{i}aaaa", f"n{i}", age=600 - 90 * i) for i in range(4))
    diagnosis = diagnosed(cluster(nodes=nodes, nodeclaims=claims, deployments=(karpenter(),)))
    assert diagnosis.verdict == "healthy"
    assert not diagnosis.blind
    assert all(one.severity is Severity.INFO for one in diagnosis.findings)
