"""Is the kubelet alive: by the node's condition, by its lease, by both, by neither."""

from datetime import timedelta
from typing import Any

import pytest

from bot.checks.kubelet_down import CHECK
from bot.model.findings import Kind
from bot.model.sections import NotInstalled, Section
from tests.support.checked import ask, open_codes, said, the, the_blind
from tests.support.lab import DOWN, ago, cluster, lease, node, pod, without
from tests.support.vms import dead_lab

DEAD = ("kubelet-down", "node/omen2")
STALE = lease(renewed=DOWN - timedelta(seconds=50))


def test_both_witnesses_are_quoted() -> None:
    found = the(ask(CHECK, dead_lab()), "kubelet-down")
    assert [(one.object.kind, one.field) for one in found.evidence] == [
        ("node", "status.conditions[Ready]"),
        ("lease", "spec.renewTime"),
    ]
    assert found.onset is not None
    assert found.onset.at == DOWN - timedelta(seconds=50)
    assert found.onset.source == "lease spec.renewTime"


@pytest.mark.parametrize("gone", [Section.NODES, Section.LEASES])
def test_either_witness_alone_suffices(gone: Section) -> None:
    assert said(ask(CHECK, without(dead_lab(), gone))) >= {DEAD}


def test_without_both_it_cannot_tell() -> None:
    answers = ask(CHECK, without(dead_lab(), Section.NODES, Section.LEASES))
    assert not answers.findings
    assert open_codes(answers) == {("kubelet-down", "cluster")}
    assert the_blind(answers).sections == (Section.NODES, Section.LEASES)


@pytest.mark.parametrize(
    "sections",
    [
        pytest.param({"nodes": (node(),), "leases": (lease(),)}, id="well"),
        pytest.param({"nodes": (node(status="False"),), "leases": (lease(),)}, id="the kubelet itself says NotReady"),
        pytest.param({"nodes": (node(),), "leases": NotInstalled("leases")}, id="no leases served"),
        pytest.param({"nodes": (node(),), "leases": (lease(renewed=ago(seconds=90)),)}, id="a slow picture"),
        pytest.param({"nodes": (), "leases": (STALE,)}, id="a lease that outlived its node"),
    ],
)
def test_quiet(sections: dict[str, Any]) -> None:
    assert not ask(CHECK, cluster(**sections)).findings


@pytest.mark.parametrize(
    ("sections", "why"),
    [
        pytest.param({"nodes": (node(),), "leases": (STALE,)}, "lease-old-node-ready", id="ready, lease long over"),
        pytest.param(
            {"nodes": (node(status="Unknown", since=ago(minutes=3)),), "leases": (lease(renewed=ago(seconds=3)),)},
            "kubelet-just-back",
            id="unknown, lease renewed after that",
        ),
    ],
)
def test_witnesses_that_contradict_each_other_tell_nothing(sections: dict[str, Any], why: str) -> None:
    answers = ask(CHECK, cluster(**sections))
    assert not answers.findings
    assert the_blind(answers).why == why
    assert the_blind(answers).required


def test_a_fresh_heartbeat_says_that_only_the_kubelet_died() -> None:
    fact = the(ask(CHECK, dead_lab()), "only-kubelet-died")
    assert fact.kind is Kind.FACT
    assert fact.values["heartbeat"] == ago(minutes=1)


TAINTED = node(conditions=(), taints=["node.kubernetes.io/unreachable"])


def test_where_both_witnesses_are_missing_the_controllers_taint_tells() -> None:
    found = the(ask(CHECK, cluster(nodes=(TAINTED,))), "kubelet-down")
    assert [one.quote for one in found.evidence] == ["node.kubernetes.io/unreachable:NoSchedule"]
    assert found.onset is None


@pytest.mark.parametrize(
    ("sections", "why"),
    [
        pytest.param({"nodes": (node(conditions=()),)}, "kubelet-not-told", id="no Ready, no lease"),
        pytest.param({"nodes": (node(status="true"),)}, "kubelet-not-told", id="Ready in words that are none"),
        pytest.param({"pods": (pod("web"),)}, "node-not-listed", id="pods are bound to it"),
    ],
)
def test_without_any_witness_it_cannot_tell_of_this_node(sections: dict[str, Any], why: str) -> None:
    answers = ask(CHECK, cluster(**sections))
    assert not answers.findings
    blind = the_blind(answers)
    assert (blind.why, str(blind.subject), blind.codes, blind.required) == (why, DEAD[1], ("kubelet-down",), True)


@pytest.mark.parametrize(
    "sections",
    [
        pytest.param({"nodes": (node(conditions=()),), "leases": (lease(),)}, id="no Ready, the lease is renewed"),
        pytest.param({"nodes": (TAINTED,), "leases": (lease(),)}, id="a taint that is left, the lease is renewed"),
        pytest.param({"pods": (pod("web", deleted=ago(minutes=1)),)}, id="the pods of a node that is gone go too"),
        pytest.param({"pods": (pod("web", phase="Succeeded"),)}, id="a pod that has ended"),
        pytest.param({"pods": (pod("web", born=ago(seconds=30)),)}, id="pods that are younger than the list"),
        pytest.param({"leases": (lease(born=ago(seconds=30)),)}, id="a lease that is younger than the list"),
    ],
)
def test_neither_dead_nor_untold(sections: dict[str, Any]) -> None:
    answers = ask(CHECK, cluster(**sections))
    assert not answers.findings
    assert not answers.blind


def test_a_stale_lease_of_a_node_that_is_not_listed_is_no_death() -> None:
    answers = ask(CHECK, cluster(leases=(STALE,), pods=(pod("web"),)))
    assert not answers.findings
    assert [one.why for one in answers.blind] == ["node-not-listed"]


def test_a_renewal_in_the_future_contradicts_nothing() -> None:
    ahead = lease(renewed=ago(minutes=-30))
    assert DEAD in said(ask(CHECK, cluster(nodes=(node(status="Unknown"),), leases=(ahead,))))


@pytest.mark.parametrize("beat", [None, ago(minutes=6), ago(minutes=-6), DOWN])
def test_without_a_fresh_heartbeat_it_is_not_told_what_died(beat: Any) -> None:
    answers = ask(CHECK, cluster(nodes=(node(status="Unknown", heartbeat=beat),)))
    assert said(answers) == {DEAD}
    assert the_blind(answers).why == "what-died-not-told"
    assert the_blind(answers).command == "ssh omen2 uptime"
    assert not the_blind(answers).required


def test_a_heartbeat_that_is_no_time_is_not_one() -> None:
    answers = ask(CHECK, cluster(nodes=(node(status="Unknown", annotations={"kubevirt.io/heartbeat": "yes"}),)))
    assert said(answers) == {DEAD}
