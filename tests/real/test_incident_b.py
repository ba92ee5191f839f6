"""Incident B with the real Karpenter: the loop is recognised from what Karpenter really wrote."""

from __future__ import annotations

import pytest

from bot.adapters.files.hosts import GivenTexts
from bot.adapters.kubernetes.cluster import LiveCluster
from bot.entry.wiring.diagnosis import Source, investigator
from bot.model.diagnosis import Diagnosis, Verdict
from bot.model.findings import Code, Kind
from bot.model.refs import Ref
from tests.support.controlplane import ADMIN, ControlPlane
from tests.support.karpenter import Marker
from tests.support.outage import wait_until

pytestmark = pytest.mark.real

POOL = Ref("nodepool", "gpu")


@pytest.fixture(scope="module")
def diagnosis(live_control_plane: ControlPlane, karpenter: Marker) -> Diagnosis:
    """The answer once three nodes were marked and replaced and a fourth is marked."""
    wait_until(f"four nodes are marked ({karpenter.failures})", lambda: len(karpenter.marked) >= 4, 240)
    cluster = LiveCluster.connect(live_control_plane.kubeconfig(ADMIN))
    found = investigator(Source(cluster=cluster, hosts=GivenTexts(()))).investigate([])
    cluster.close()
    return found.diagnosis


def codes(diagnosis: Diagnosis, kind: Kind) -> set[tuple[str, Ref]]:
    return {(str(one.code), one.subject) for one in diagnosis.findings if one.kind is kind}


def test_the_root_is_the_monitors_library_and_not_karpenter(diagnosis: Diagnosis) -> None:
    assert diagnosis.verdict is Verdict.BROKEN
    assert [one.finding.key for one in diagnosis.roots] == [(Code("dcgm-library-missing"), POOL)]


def test_the_loop_is_recognised(diagnosis: Diagnosis) -> None:
    assert ("node-replacement-loop", POOL) in codes(diagnosis, Kind.FAULT)
    assert ("node-repair-deletes", POOL) in codes(diagnosis, Kind.FAULT)
    assert ("replacements", POOL) in codes(diagnosis, Kind.FACT)


def test_the_card_itself_is_ruled_out(diagnosis: Diagnosis) -> None:
    assert "gpu-hardware" in {code for code, _ in codes(diagnosis, Kind.RULED_OUT)}
