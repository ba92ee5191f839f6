"""Twins of the kubelet that refuses swap: evidence that is gone, old, or of another fault."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from bot.model.diagnosis import Diagnosis, Verdict
from bot.model.findings import Kind
from bot.model.hosttext import HostSource, HostText
from bot.model.sections import Unknown, UnknownReason
from bot.model.snapshot import Snapshot
from tests.scenarios.twins import AT, answer, codes, faults, roots, seen_roots, text
from tests.support.mutate import Plain, condition_of, one_of, twin

CHAIN = {"kubelet-swap-on", "kubelet-down", "node-not-ready", "gpu-not-offered", "vm-unschedulable"}
EXPIRED = "E0710 15:39:55 1 x.go:1] part of the existing bootstrap client certificate is expired: 2026-07-06 18:55:55\n"
REFUSED = 'E0710 15:39:40 1 x.go:1] err="dial unix /run/containerd/containerd.sock: connect: connection refused"\n'
SWAPS = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n/swapfile file 33554428 0 -2\n"


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


def test_a_heartbeat_from_the_future_is_not_fresh(swap: Snapshot) -> None:
    found = answer(msgspec.structs.replace(swap, at=datetime(2026, 7, 10, 15, 45, tzinfo=UTC)))
    assert "only-kubelet-died" not in codes(found, Kind.FACT)
