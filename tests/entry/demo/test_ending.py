"""What counts as a good end. Axes: the plan's state, the audit, the node, the job, the marks, the count, absence."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest

from bot.adapters.files.knowledge import load_words
from bot.entry.demo.ending import MARK, loop_wrong, machine_wrong, not_through
from bot.model.objects import Node
from bot.remedy.plan import Plan, PlanState, StepState
from tests.support.objects import decoded
from tests.support.plans import plan, step

WORDS = load_words("en")
RUNS = {"kubelet": "running", "driver": "nvidia", "cuda": "running"}


def in_state(state: PlanState) -> Plan:
    return msgspec.structs.replace(plan("p1", "inc1", step(state=StepState.VERIFIED)), state=state)


def counted(**values: str) -> Plan:
    return plan("p1", "inc1", msgspec.structs.replace(step("loop-ended", StepState.VERIFIED), values=values))


def node(name: str = "omen2", **conditions: str) -> Node:
    told = [{"type": kind, "status": status} for kind, status in conditions.items()]
    return decoded({"metadata": {"name": name}, "status": {"conditions": told}}, Node)


@pytest.mark.parametrize("state", PlanState)
def test_only_a_plan_that_is_done_is_through(state: PlanState) -> None:
    wrong = [] if state is PlanState.DONE else [f"plan p1 is {state.value}, guard verified"]
    assert [*not_through(in_state(state), None, WORDS)] == wrong


def test_an_audit_that_does_not_hold_is_no_good_end() -> None:
    assert [*not_through(in_state(PlanState.DONE), "4 (4): edited", WORDS)] == [
        "the audit's chain is broken: 4 (4): edited"
    ]


@pytest.mark.parametrize(
    ("nodes", "machine", "wrong"),
    [
        ((node(Ready="True"),), RUNS, []),
        ((node(Ready="True"),), {**RUNS, "cuda": "killed"}, ["CUDA job killed"]),
        ((node(Ready="True"),), {}, ["CUDA job not there"]),
        ((node(Ready="Unknown"),), RUNS, ["omen2 is not Ready (Unknown)"]),
        ((node(),), RUNS, ["omen2 is not Ready (not told)"]),
        ((node("omen1", Ready="True"),), RUNS, ["omen2 is not Ready (there is no such node)"]),
    ],
)
def test_the_node_is_ready_and_the_job_runs(
    nodes: tuple[Node, ...], machine: Mapping[str, str], wrong: list[str]
) -> None:
    assert [*machine_wrong("omen2", nodes, machine, in_state(PlanState.DONE), WORDS)] == wrong


@pytest.mark.parametrize(
    ("nodes", "values", "wrong"),
    [
        ((node(), node(**{MARK: "True"})), {"predicted": "1", "count": "1"}, []),
        ((node(),), {"predicted": "1", "count": "2"}, ["replacements that began after the repair: 2, predicted: 1"]),
        ((node(),), {"predicted": "1"}, ["replacements that began after the repair: not told, predicted: 1"]),
        ((node(),), {}, ["the replacements that began after the repair were not counted"]),
        ((node(**{MARK: "False"}),), {"predicted": "1", "count": "1"}, ["omen2 is marked for replacement"]),
        ((), {"predicted": "1", "count": "1"}, ["the pool has no node"]),
    ],
)
def test_what_was_predicted_was_seen_and_nothing_is_marked(
    nodes: tuple[Node, ...], values: Mapping[str, str], wrong: list[str]
) -> None:
    assert [*loop_wrong(nodes, counted(**values), WORDS)] == wrong


@pytest.mark.parametrize(
    ("cuda", "wrong"), [("stopped", []), ("killed", ["CUDA job killed"]), ("running", ["CUDA job running"])]
)
def test_a_job_that_its_owner_was_to_stop_is_stopped(cuda: str, wrong: list[str]) -> None:
    stopping = plan("p1", "inc1", step("stop-cuda", StepState.ATTESTED))
    assert [*machine_wrong("omen2", (node(Ready="True"),), {**RUNS, "cuda": cuda}, stopping, WORDS)] == wrong


def test_marks_that_an_option_leaves_by_choice_are_no_bad_end() -> None:
    left = msgspec.structs.replace(counted(predicted="0", count="0"), leaves=("gpu-condition-false",))
    assert [*loop_wrong((node(**{MARK: "False"}),), left, WORDS)] == []
