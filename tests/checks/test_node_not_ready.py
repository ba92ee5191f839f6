"""Is the node ready: Unknown, False, just born, and from events where the nodes cannot be read."""

import pytest

from bot.checks.node_not_ready import CHECK
from bot.model.sections import Section
from bot.model.snapshot import Snapshot
from tests.support.checked import ask, open_codes, said, the, the_blind
from tests.support.lab import ago, cluster, event, node, pod, without

NOT_READY = ("node-not-ready", "node/omen2")


@pytest.mark.parametrize("status", ["Unknown", "False"])
def test_fires(status: str) -> None:
    snapshot = cluster(nodes=(node(status=status, taints=["node.kubernetes.io/not-ready"]),), pods=(pod("web"),))
    found = the(ask(CHECK, snapshot), "node-not-ready")
    fields = [one.field for one in found.evidence]
    assert fields[0] == "status.conditions[Ready]"
    assert "spec.taints" in fields
    assert [str(one) for one in found.refs["pod"]] == ["pod/gpu-operator/web"]


def test_quiet_on_a_ready_node() -> None:
    answers = ask(CHECK, cluster(nodes=(node(),), events=(event("NodeNotReady"),)))
    assert not answers.findings
    assert not answers.blind


def test_a_node_that_has_just_joined_is_not_judged() -> None:
    answers = ask(CHECK, cluster(nodes=(node(status="False", born=ago(seconds=30)),)))
    assert not answers.findings
    assert not the_blind(answers).required


def test_without_a_ready_condition_the_controllers_taints_tell() -> None:
    bare = node(conditions=(), taints=["node.kubernetes.io/unreachable"])
    found = the(ask(CHECK, cluster(nodes=(bare,))), "node-not-ready")
    assert [one.field for one in found.evidence] == ["spec.taints"]
    assert (found.onset, found.values) == (None, {"status": "", "reason": ""})


@pytest.mark.parametrize(
    ("snapshot", "why"),
    [
        (cluster(nodes=(node(conditions=()),)), "ready-not-told"),
        (cluster(nodes=(node(status="true"),)), "ready-not-told"),
        (
            cluster(nodes=(node(conditions=(), born=ago(seconds=30), taints=["node.kubernetes.io/not-ready"]),)),
            "ready-not-told",
        ),
        (cluster(pods=(pod("web"),)), "node-not-listed"),
    ],
    ids=["no Ready", "Ready in words that are none", "just born and tainted", "not listed"],
)
def test_what_does_not_say_ready_is_not_told(snapshot: Snapshot, why: str) -> None:
    answers = ask(CHECK, snapshot)
    assert not answers.findings
    assert (the_blind(answers).why, the_blind(answers).required) == (why, True)


def test_an_event_is_quoted_beside_the_condition() -> None:
    found = the(ask(CHECK, cluster(nodes=(node(status="Unknown"),), events=(event("NodeNotReady"),))), "node-not-ready")
    assert found.evidence[-1].source == "event"


def test_events_stand_in_where_nodes_cannot_be_read() -> None:
    answers = ask(CHECK, without(cluster(events=(event("NodeNotReady"),)), Section.NODES))
    assert said(answers) == {NOT_READY}
    assert open_codes(answers) == {("node-not-ready", "cluster")}


def test_the_latest_event_counts() -> None:
    events = (event("NodeReady", last=ago(minutes=1)), event("NodeNotReady", last=ago(minutes=9)))
    assert not ask(CHECK, without(cluster(events=events), Section.NODES)).findings


def test_without_nodes_and_events_it_cannot_tell() -> None:
    answers = ask(CHECK, without(cluster(), Section.NODES, Section.EVENTS))
    assert not answers.findings
    assert the_blind(answers).why == "section-not-collected"
