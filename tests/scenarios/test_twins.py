"""Twins of the founding incidents: evidence that is gone, old, or of another fault. Axes: incident, what differs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bot.adapters.files.knowledge import load_knowledge
from bot.checks import CHECKS
from bot.diagnose.diagnose import diagnose
from bot.model.diagnosis import Diagnosis, Verdict
from bot.model.findings import Kind
from bot.model.hosttext import HostSource, HostText
from bot.model.sections import Unknown, UnknownReason
from bot.model.snapshot import Snapshot
from tests.support.mutate import Plain, condition_of, one_of, twin
from tests.support.scenarios import FOLDER, snapshot_of

AT = datetime(2026, 10, 30, 16, 40, tzinfo=UTC)
KNOWLEDGE = load_knowledge()
CHAIN = {"kubelet-swap-on", "kubelet-down", "node-not-ready", "gpu-not-offered", "vm-unschedulable"}
MARKED = "ip-10-0-42-131.eu-west-1.compute.internal"
GONE = "ip-10-0-41-17.eu-west-1.compute.internal"
XID = "[ 100.123456] NVRM: Xid (PCI:0000:00:1e.0): 79, pid=1, GPU has fallen off the bus.\n"
EXPIRED = "E0710 15:39:55 1 x.go:1] part of the existing bootstrap client certificate is expired: 2026-07-06 18:55:55\n"
REFUSED = 'E0710 15:39:40 1 x.go:1] err="dial unix /run/containerd/containerd.sock: connect: connection refused"\n'
SWAPS = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n/swapfile file 33554428 0 -2\n"


@pytest.fixture(scope="module")
def swap(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return snapshot_of(FOLDER / "swap-kubelet" / "dump", AT, (), tmp_path_factory.mktemp("swap"))


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return snapshot_of(FOLDER / "replacement-loop" / "dump", None, (), tmp_path_factory.mktemp("loop"))


def answer(snapshot: Snapshot) -> Diagnosis:
    return diagnose(snapshot, CHECKS, KNOWLEDGE)


def roots(found: Diagnosis) -> list[str]:
    return [f"{one.finding.code} {one.finding.subject}" for one in found.roots]


def codes(found: Diagnosis, kind: Kind) -> set[str]:
    return {one.code for one in found.findings if one.kind is kind}


def faults(found: Diagnosis) -> set[str]:
    return {f"{code} {subject}" for code, subject in found.inferred} | {
        f"{one.code} {one.subject}" for one in found.findings if one.kind is Kind.FAULT
    }


def seen_roots(found: Diagnosis) -> set[str]:
    return {one.finding.code for one in found.roots if one.cause_seen}


def text(words: str, node: str = "omen2", source: HostSource = HostSource.JOURNAL, unit: str = "kubelet") -> HostText:
    return HostText(node=node, source=source, unit=unit if source is HostSource.JOURNAL else "", text=words)


def _drop_node(data: Plain) -> None:
    data["nodes"].remove(one_of(data, "nodes", "omen2"))


def _drop_numbers(data: Plain) -> None:
    status = one_of(data, "nodes", "omen2")["status"]
    for field in ("capacity", "allocatable"):
        status[field] = {name: one for name, one in status[field].items() if "nvidia" not in name}


def _spoil(data: Plain) -> None:
    one_of(data, "nodes", "omen2")["status"]["conditions"] = "oops"


def _cut(data: Plain) -> None:
    names = [one["metadata"]["name"] for one in data["nodes"]]
    del data["nodes"][names.index("omen2") :]


def _drop_witnesses(data: Plain) -> None:
    data["leases"].remove(one_of(data, "leases", "omen2"))
    node = one_of(data, "nodes", "omen2")
    node["status"]["conditions"].remove(condition_of(node, "Ready"))


def _drop_taints(data: Plain) -> None:
    _drop_witnesses(data)
    one_of(data, "nodes", "omen2")["spec"]["taints"] = []


@pytest.mark.parametrize("journal", [True, False], ids=["journal", "no journal"])
@pytest.mark.parametrize("change", [_drop_node, _drop_numbers, _spoil, _cut, _drop_witnesses, _drop_taints])
def test_what_is_not_there_of_a_node_is_no_cause_of_its_own(
    swap: Snapshot, change: Callable[[Plain], None], journal: bool
) -> None:
    found = answer(twin(swap, change, host_texts=swap.host_texts if journal else ()))
    assert {one.finding.code for one in found.roots} <= CHAIN
    assert seen_roots(found) == ({"kubelet-swap-on"} if journal else set())
    assert "resource-name-mismatch" not in codes(found, Kind.FAULT)
    if journal:
        assert roots(found) == ["kubelet-swap-on node/omen2"]
    else:
        assert "vm-unschedulable" not in {one.finding.code for one in found.roots}


def test_a_taint_tells_of_a_silent_kubelet_as_well(swap: Snapshot) -> None:
    found = answer(twin(swap, _drop_witnesses))
    assert {"kubelet-down node/omen2", "node-not-ready node/omen2"} <= faults(found)
    assert not {str(subject) for _, subject in found.inferred} & {"node/omen2"}


@pytest.mark.parametrize("change", [_drop_node, _spoil, _cut])
def test_of_a_list_that_is_not_whole_nothing_is_the_only_one(swap: Snapshot, change: Callable[[Plain], None]) -> None:
    found = answer(twin(swap, change))
    assert not {"vm-pinned", "vm-tied", "resource-names"} & {one.code for one in found.findings}


@pytest.mark.parametrize(
    "nodes",
    [Unknown(UnknownReason.FORBIDDEN, "403"), Unknown(UnknownReason.FAILED), Snapshot(at=AT).nodes],
    ids=["forbidden", "failed", "not collected"],
)
def test_without_nodes_no_machine_is_a_root_beside_the_dead_kubelets(swap: Snapshot, nodes: Any) -> None:
    found = answer(msgspec.structs.replace(swap, nodes=nodes, host_texts=()))
    assert {one.finding.code for one in found.roots} == {"kubelet-down"}
    assert {"vm/vms/gpu-fedora", "vm/vms/rhel9-gpu-vm"} <= {str(one) for _, one in found.not_examined}
    assert "nfd-labels-gone" not in {code for link in found.links for code, _ in (link.cause, link.effect)}


def _well(data: Plain) -> None:
    """Nothing but the nodes that are well, and nobody waits."""
    for section in ("nodes", "leases"):
        data[section] = [one for one in data[section] if not one["metadata"]["name"].startswith("omen")]
    gone = ("", *(f"omen{number}" for number in range(1, 5)))
    data["pods"] = [one for one in data["pods"] if one["spec"].get("nodeName", "") not in gone]
    data["virtualmachines"] = data["virtualmachineinstances"] = []


@pytest.mark.parametrize("node", ["worker1", "nosuch"])
@pytest.mark.parametrize("words", ["swap", EXPIRED, REFUSED], ids=["swap", "certificate", "runtime"])
def test_old_lines_of_a_node_that_is_well_are_no_fault(swap: Snapshot, words: str, node: str) -> None:
    lines = swap.host_texts[0].text if words == "swap" else words
    found = answer(twin(swap, _well, host_texts=(text(lines, node),)))
    assert (found.verdict, roots(found)) == (Verdict.HEALTHY, [])
    assert not codes(found, Kind.FAULT)


def test_a_text_of_a_node_that_is_not_there_is_said(swap: Snapshot) -> None:
    found = answer(twin(swap, _well, host_texts=(text(REFUSED, "nosuch"),)))
    assert [(one.why, str(one.subject)) for one in found.blind] == [("text-of-unknown-node", "node/nosuch")]


def test_a_text_beside_a_cluster_of_no_nodes_is_not_a_healthy_cluster(swap: Snapshot) -> None:
    found = answer(twin(swap, lambda data: [things.clear() for things in data.values()]))
    assert (found.verdict, roots(found)) == (Verdict.UNKNOWN, [])


def _swapped(swap: Snapshot, *texts: HostText) -> Diagnosis:
    return answer(msgspec.structs.replace(swap, host_texts=texts))


def test_a_kubelet_dies_for_one_reason(swap: Snapshot) -> None:
    lines = swap.host_texts[0].text
    swaps = text(SWAPS, source=HostSource.SWAPS)
    assert roots(_swapped(swap, text(EXPIRED), swaps)) == ["kubelet-certificate-expired node/omen2"]
    assert roots(_swapped(swap, text(lines + EXPIRED))) == ["kubelet-certificate-expired node/omen2"]
    assert roots(_swapped(swap, text(lines), text(EXPIRED))) == ["kubelet-certificate-expired node/omen2"]
    assert roots(_swapped(swap, text(REFUSED + lines))) == ["kubelet-swap-on node/omen2"]
    assert roots(_swapped(swap, text(f"Jan 18 10:00:00 omen2 kubelet[1]: {EXPIRED}"))) == [
        "kubelet-certificate-expired node/omen2"
    ]
    assert roots(_swapped(swap, text(lines), swaps)) == ["kubelet-swap-on node/omen2"]


def test_swap_that_is_on_is_a_suspect_and_no_cause(swap: Snapshot) -> None:
    found = _swapped(swap, text(SWAPS, source=HostSource.SWAPS))
    assert roots(found)[0] == "kubelet-down node/omen2"
    assert not found.roots[0].cause_seen
    assert "kubelet-swap-on" in found.roots[0].open_causes
    assert "swap-in-use" in codes(found, Kind.FACT)
    assert "kubelet-swap-on" not in codes(found, Kind.FAULT)
    settles = [
        one.command for one in found.blind if "kubelet-swap-on" in one.codes and str(one.subject) == "node/omen2"
    ]
    assert settles == ["ssh omen2 sudo journalctl -u kubelet -b -n 50"]


@pytest.mark.parametrize(
    "later",
    [
        'I0612 10:00:00 1 kubelet_node_status.go:79] "Successfully registered node" node="omen2"\n',
        'I0710 15:39:30 1 kubelet.go:2430] "SyncLoop (PLEG)"\nI0710 15:39:40 1 x.go:1] "SIGTERM"\n',
    ],
    ids=["the kubelet registered", "the lease was renewed for a month"],
)
def test_a_crash_before_a_proof_of_life_is_not_why_it_is_dead(swap: Snapshot, later: str) -> None:
    old = swap.host_texts[0].text.replace("0710 15:39:51", "0610 11:00:00")
    found = _swapped(swap, text(old + later))
    assert roots(found)[0] == "kubelet-down node/omen2"
    assert not found.roots[0].cause_seen


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


def test_a_heartbeat_from_the_future_is_not_fresh(swap: Snapshot) -> None:
    found = answer(msgspec.structs.replace(swap, at=datetime(2026, 7, 10, 15, 45, tzinfo=UTC)))
    assert "only-kubelet-died" not in codes(found, Kind.FACT)


def test_a_root_does_not_begin_after_its_effect_and_names_no_image_that_was_not_seen(tmp_path: Path) -> None:
    found = answer(snapshot_of(FOLDER / "replacement-loop" / "karpenter-1.14", None, (), tmp_path))
    [root] = found.roots
    assert root.finding.onset is None
    assert root.finding.values["host"] == ""
