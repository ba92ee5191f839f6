"""Incident A with the real node lifecycle controller and scheduler: a Lease that nobody renews leads to the chain."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.adapters.files.documents import documents
from bot.adapters.files.hosts import GivenTexts
from bot.adapters.kubernetes.cluster import LiveCluster
from bot.entry.wiring.diagnosis import Source, investigator
from bot.model.diagnosis import Certainty, Diagnosis, Verdict
from bot.model.findings import Code, Kind
from bot.model.refs import Ref, node
from tests.support.controlplane import ADMIN, ControlPlane
from tests.support.heartbeats import Heartbeats
from tests.support.kubeapi import Json, KubeApi
from tests.support.outage import as_well, dead, moved, wait_until

pytestmark = pytest.mark.real

DUMP = Path(__file__).parent.parent / "scenarios" / "swap-kubelet" / "dump"
OMENS = tuple(f"omen{number}" for number in range(1, 5))
#: When the last kubelet of the four renewed its Lease for the last time.
BEGIN = datetime(2026, 7, 10, 15, 39, 42, tzinfo=UTC)
#: The controller's grace period is 50 s; the rest is for a busy machine.
PATIENCE = 120.0


@pytest.fixture(scope="module")
def api(live_control_plane: ControlPlane) -> Iterator[KubeApi]:
    with live_control_plane.api() as one:
        yield one


@pytest.fixture(scope="module")
def outage(api: KubeApi) -> Iterator[KubeApi]:
    """The story's lab, today: the kubelets of the four GPU nodes report no longer, virt-handler does on every node."""
    # What the controllers and the scheduler say of this outage is not taken from the dump.
    things = [one.item for path in sorted(DUMP.glob("*.yaml")) for one in documents(path) if one.item]
    later = [one for one in things if _comes_later(one)]
    names = [one["metadata"]["name"] for one in things if one["kind"] == "Node"]
    start = datetime.now(UTC)
    before = [as_well(one) for one in things if one not in later and one["kind"] != "Event"]
    api.load(moved(before, BEGIN, start, start), collected=True)
    with Heartbeats(api, alive=[name for name in names if name not in OMENS], agents=names):
        wait_until("the four nodes are unreachable", lambda: dead(api, OMENS), PATIENCE)
        api.load(moved(later, BEGIN, start, datetime.now(UTC)), collected=True)
        wait_until("the scheduler has tried", lambda: _tried(api, "virt-launcher-gpu-fedora"), PATIENCE)
        yield api


@pytest.fixture(scope="module")
def diagnosis(live_control_plane: ControlPlane, outage: KubeApi) -> Diagnosis:
    cluster = LiveCluster.connect(live_control_plane.kubeconfig(ADMIN))
    found = investigator(Source(cluster=cluster, hosts=GivenTexts(()))).investigate([node("omen2")])
    cluster.close()
    return found.diagnosis


def test_the_root_is_the_dead_kubelet_and_its_cause_is_not_seen(diagnosis: Diagnosis) -> None:
    assert diagnosis.verdict is Verdict.BROKEN
    root = diagnosis.roots[0]
    assert root.finding.key == (Code("kubelet-down"), node("omen2"))
    assert not root.cause_seen
    assert Code("kubelet-swap-on") in root.open_causes


def test_the_chain_is_what_was_observed(diagnosis: Diagnosis) -> None:
    links = {(one.cause, one.effect): one.certainty for one in diagnosis.links}
    down, unready, pending = (Code(text) for text in ("kubelet-down", "node-not-ready", "vm-unschedulable"))
    assert links[(down, node("omen2")), (unready, node("omen2"))] is Certainty.OBSERVED
    assert (pending, Ref("vm", "gpu-fedora", "vms")) in {effect for _, effect in links}


def test_only_the_kubelet_died(diagnosis: Diagnosis) -> None:
    facts = {one.code for one in diagnosis.findings if one.kind is Kind.FACT and one.subject == node("omen2")}
    assert Code("only-kubelet-died") in facts


def test_the_other_dead_nodes_are_not_explained_by_it(diagnosis: Diagnosis) -> None:
    assert {node(name) for name in OMENS if name != "omen2"} <= {subject for _, subject in diagnosis.not_examined}


def _comes_later(thing: Json) -> bool:
    """What asks for a GPU after the outage; before it, the scheduler would give it a node that still looks well."""
    unbound = thing["kind"] == "Pod" and not thing["spec"].get("nodeName")
    return unbound or thing["kind"] in ("VirtualMachine", "VirtualMachineInstance")


def _tried(api: KubeApi, pod: str) -> bool:
    return any(
        one["reason"] == "FailedScheduling" and one["involvedObject"]["name"].startswith(pod)
        for one in api.items("", "v1", "events")
    )
