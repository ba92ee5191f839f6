"""Axes: the condition's type and status; the node there, going, gone; the section known or not."""

import pytest

from bot.checks import gpu_condition
from bot.diagnose.run import run_checks
from bot.model.findings import Severity
from bot.model.refs import Ref
from bot.model.snapshot import NOT_COLLECTED
from tests.support.replacement import ago, ask, cluster, codes, found, mark, node, old_dialect

CHECK = gpu_condition.CHECK


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("AcceleratedHardwareReady", "False"),
        ("GPUMissing", "True"),
        ("XIDErrors", "True"),
        ("NVLinkStatusInactive", "True"),
    ],
)
def test_a_condition_of_known_polarity_is_found_when_bad(kind: str, status: str) -> None:
    answers = ask(CHECK, cluster(nodes=(node("n1", mark(status, kind=kind)),)))
    assert codes(answers) == {("gpu-condition-false", "node/n1")}


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("AcceleratedHardwareReady", "True"),
        ("AcceleratedHardwareReady", "Unknown"),
        ("GPUMissing", "False"),
        ("KernelDeadlock", "True"),
        ("SomethingOfOurs", "False"),
        ("MemoryPressure", "False"),
    ],
)
def test_good_or_of_unknown_polarity_is_quiet(kind: str, status: str) -> None:
    assert ask(CHECK, cluster(nodes=(node("n1", mark(status, kind=kind)),))) == []


def test_the_finding_carries_reason_pool_time_and_a_deletion_that_runs() -> None:
    one = found(ask(CHECK, cluster(nodes=(node("n1", mark(minutes=12), deleting=2),))), "gpu-condition-false")
    assert one.values["reason"] == "DCGMError"
    assert one.values["deleted"] == ago(2)
    assert one.refs["nodepool"] == (Ref("nodepool", "gpu"),)
    assert one.onset is not None
    assert one.onset.at == ago(12)
    assert "libdcgm.so not Found" in one.evidence[0].quote


def test_between_two_generations_the_last_marked_node_is_told_of_as_past() -> None:
    snapshot = cluster(nodes=(node("new", age=0.5),), events=old_dialect((25, 13, 1)))
    one = found(ask(CHECK, snapshot), "gpu-condition-false")
    assert (str(one.subject), one.severity) == ("node/gone-2", Severity.INFO)


def test_a_node_that_is_gone_is_not_told_of_where_nothing_loops() -> None:
    assert ask(CHECK, cluster(nodes=(node("new", age=20),), events=old_dialect((25,)))) == []


def test_without_nodes_it_cannot_tell() -> None:
    answers = run_checks((CHECK,), cluster(nodes=NOT_COLLECTED))
    assert not answers.findings
    assert answers.blind[0].codes == CHECK.codes
