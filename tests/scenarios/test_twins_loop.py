"""Twins of the replacement loop: hardware beside it, gates, siblings, a repair that is blocked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from bot.model.diagnosis import Verdict
from bot.model.findings import Kind
from bot.model.hosttext import HostSource
from bot.model.snapshot import Snapshot
from tests.scenarios.twins import MARKED, XID, answer, codes, roots, text
from tests.support.mutate import Plain, condition_of, one_of, twin
from tests.support.scenarios import FOLDER, snapshot_of

GONE = "ip-10-0-41-17.eu-west-1.compute.internal"


@pytest.mark.parametrize("node", [MARKED, GONE])
def test_an_xid_in_the_pool_and_hardware_that_is_ruled_out_never_stand_together(loop: Snapshot, node: str) -> None:
    found = answer(msgspec.structs.replace(loop, host_texts=(text(XID, node, HostSource.DMESG),)))
    assert "gpu-hardware" not in codes(found, Kind.RULED_OUT)
    assert roots(found)[0] == "dcgm-library-missing nodepool/gpu"
    hardware = {f"gpu-hardware-fault node/{MARKED}"} if node == MARKED else set()
    assert set(roots(found)[1:]) == hardware
    assert {one.cause[0] for one in found.links} >= {root.finding.code for root in found.roots}
    assert "Bottlerocket" in str(found.roots[0].finding.values["image"])


def _gates(text: str) -> Callable[[Plain], None]:
    def change(data: Plain) -> None:
        for one in data["deployments"]:
            for container in one["spec"]["template"]["spec"]["containers"]:
                for variable in container.get("env", ()):
                    if variable["name"] == "FEATURE_GATES":
                        variable["value"] = text

    return change


@pytest.mark.parametrize("gates", ["NodeRepair=false", "ReservedCapacity=true"], ids=["off", "not listed"])
def test_with_the_gate_off_no_deletion_is_announced(loop: Snapshot, gates: str) -> None:
    found = answer(twin(loop, _gates(gates)))
    assert not {"next-deletion", "repair-gate"} & codes(found, Kind.FACT)
    assert "repair-gate-off" in codes(found, Kind.FACT)
    assert not codes(found, Kind.ACTING)
    assert roots(found) == ["dcgm-library-missing nodepool/gpu"]
    steps = {(one.cause[0], one.effect[0], one.certainty.value) for one in found.links}
    assert ("node-repair-deletes", "node-replacement-loop", "inferred") in steps


def _four(data: Plain) -> None:
    """Four nodes of the pool, well for hours, one of them silent; none ever had labels of NFD."""
    made = one_of(data, "nodes", MARKED)
    lease = one_of(data, "leases", MARKED)
    for section in ("nodes", "leases"):
        data[section] = [one for one in data[section] if one["metadata"]["name"] != MARKED]
    data["events"], data["nodeclaims"], data["pods"] = [], [], []
    for number in range(4):
        node, kept = msgspec.json.decode(msgspec.json.encode((made, lease)))
        node["metadata"] |= {"name": f"g{number}", "creationTimestamp": "2025-06-11T02:00:00Z"}
        node["metadata"]["labels"] = {"karpenter.sh/nodepool": "gpu"}
        condition_of(node, "AcceleratedHardwareReady")["status"] = "True"
        kept["metadata"]["name"] = f"g{number}"
        if not number:
            silent = {"status": "Unknown", "reason": "NodeStatusUnknown", "lastTransitionTime": "2025-06-11T08:00:00Z"}
            condition_of(node, "Ready").update(silent)
            kept["spec"]["renewTime"] = "2025-06-11T07:59:00.000000Z"
        data["nodes"].append(node)
        data["leases"].append(kept)


def test_labels_that_no_sibling_has_are_not_gone(loop: Snapshot) -> None:
    found = answer(twin(loop, _four))
    assert "kubelet-down node/g0" in roots(found)
    assert "nfd-labels-gone" not in {one.code for one in found.findings}


def test_a_blocked_repair_is_said_where_every_node_is_well(loop: Snapshot) -> None:
    def change(data: Plain) -> None:
        _four(data)
        condition_of(one_of(data, "nodes", "g0"), "Ready")["status"] = "True"
        one_of(data, "leases", "g0")["spec"]["renewTime"] = f"{loop.at:%Y-%m-%dT%H:%M:%SZ}"
        data["events"] = [
            {
                "metadata": {"name": "e", "namespace": "default"},
                "involvedObject": {"kind": "Node", "name": "g0"},
                "reason": "NodeRepairBlocked",
                "message": "more then 20% nodes are unhealthy in the nodepool",
                "firstTimestamp": f"{loop.at:%Y-%m-%dT}06:30:00Z",
                "lastTimestamp": f"{loop.at:%Y-%m-%dT%H:%M:%SZ}",
                "source": {"component": "karpenter"},
            }
        ]

    found = answer(twin(loop, change))
    assert found.verdict is Verdict.HEALTHY
    assert "node-repair-blocked" in codes(found, Kind.FACT)


def test_a_root_does_not_begin_after_its_effect_and_names_no_image_that_was_not_seen(tmp_path: Path) -> None:
    found = answer(snapshot_of(FOLDER / "replacement-loop" / "karpenter-1.14", None, (), tmp_path))
    [root] = found.roots
    assert root.finding.onset is None
    assert root.finding.values["host"] == ""
