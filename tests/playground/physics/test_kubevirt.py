"""The machines that wait for a card: they start where it is offered, and only there, and every object says how far."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bot.adapters.files.documents import documents
from bot.adapters.files.dump import DumpCluster
from bot.playground.apiserver.server import SimulatedCluster
from bot.playground.physics.api import INSTANCES, MACHINES, NODES, PODS, Api
from bot.playground.physics.scheduler import Scheduler
from bot.playground.physics.virt_controller import VirtController
from bot.playground.physics.virt_handlers import VirtHandlers
from bot.playground.physics.world import Controller
from tests.playground.physics.outage import DUMP, Lab
from tests.support.redis import SetClock

CARD = "nvidia.com/GB202_GEFORCE_RTX_5090"
DEAD = ("omen1", "omen3", "omen4")
#: What a person does who gives the card to the VMs: the node's label says so already.
REVIVED = ("stop kubelet", "swapoff", "start kubelet")


@pytest.fixture
def cluster() -> Iterator[tuple[SimulatedCluster, SetClock]]:
    newest = DumpCluster(DUMP, "lab").newest()
    assert newest is not None
    clock = SetClock(newest.at)
    with SimulatedCluster(clock) as simulated:
        simulated.load(one.item for path in sorted(DUMP.glob("*.yaml")) for one in documents(path) if one.item)
        yield simulated, clock


def opens(cluster: tuple[SimulatedCluster, SetClock], *lacking: type[Controller], silent: str = "") -> Lab:
    simulated, clock = cluster
    physics = (Scheduler(), VirtController(), VirtHandlers((*DEAD, silent)))
    more = [one for one in physics if not isinstance(one, lacking)]
    return Lab(Api(simulated.kubeconfig()), clock, more=more, cuda="stopped")


def named(lab: Lab, collection: str, name: str) -> dict[str, Any]:
    (found,) = [one for one in lab.api.list(collection) if one["metadata"]["name"].startswith(name)]
    return found


def told(one: dict[str, Any]) -> dict[str, str]:
    """Status by condition."""
    return {cond["type"]: cond["status"] for cond in one["status"]["conditions"]}


def seen(lab: Lab, machine: str = "gpu-fedora") -> tuple[Any, ...]:
    """How far it is: the launcher's node and phase, the instance's phase and node, the machine's word and readiness."""
    pod = named(lab, PODS, f"virt-launcher-{machine}")
    instance, vm = named(lab, INSTANCES, machine)["status"], named(lab, MACHINES, machine)["status"]
    return (
        (pod["spec"].get("nodeName"), pod["status"]["phase"]),
        (instance["phase"], instance.get("nodeName")),
        (vm["printableStatus"], vm["ready"]),
    )


WAITS = ((None, "Pending"), ("Scheduling", None), ("ErrorUnschedulable", False))
RUNS = (("omen2", "Running"), ("Running", "omen2"), ("Running", True))


def test_as_long_as_the_outage_lasts_nothing_is_written_anew(cluster: tuple[SimulatedCluster, SetClock]) -> None:
    lab = opens(cluster)
    every = ("/api/v1/namespaces/vms/pods", INSTANCES, MACHINES)
    before = [lab.api.list(one) for one in every]
    lab.run(15)
    assert [lab.api.list(one) for one in every] == before


def test_the_machine_starts_on_the_node_that_offers_its_card(cluster: tuple[SimulatedCluster, SetClock]) -> None:
    lab = opens(cluster)
    assert seen(lab) == WAITS
    assert lab.play(REVIVED)["driver"] == "vfio-pci"
    assert seen(lab) == RUNS
    pod = named(lab, PODS, "virt-launcher-gpu-fedora")
    assert told(pod) == {"PodScheduled": "True", "Ready": "True"}
    assert told(named(lab, INSTANCES, "gpu-fedora")) == told(named(lab, MACHINES, "gpu-fedora")) == {"Ready": "True"}
    assert named(lab, MACHINES, "gpu-fedora")["status"]["created"] is True


def test_a_card_of_another_node_is_still_waited_for_and_everybody_says_why(
    cluster: tuple[SimulatedCluster, SetClock],
) -> None:
    lab = opens(cluster)
    lab.play(REVIVED)
    assert seen(lab, "rhel9-gpu-vm") == WAITS
    words = {
        next(cond["message"] for cond in one["status"]["conditions"] if cond["type"] == "PodScheduled")
        for one in (
            named(lab, PODS, "virt-launcher-rhel9"),
            named(lab, INSTANCES, "rhel9"),
            named(lab, MACHINES, "rhel9"),
        )
    }
    (said,) = words
    assert "4 Insufficient nvidia.com/GA102_GEFORCE_RTX_3090" in said
    assert "3 node(s) had untolerated taint {node.kubernetes.io/unreachable: }" in said


def test_a_card_that_containers_have_starts_no_machine(cluster: tuple[SimulatedCluster, SetClock]) -> None:
    lab = opens(cluster)
    lab.play(("label", *REVIVED))
    assert seen(lab) == WAITS
    node = lab.api.get(f"{NODES}/omen2")
    assert node is not None
    assert (node["status"]["allocatable"][CARD], node["status"]["allocatable"]["nvidia.com/gpu"]) == ("0", "1")


def test_a_card_that_another_pod_holds_starts_no_machine(cluster: tuple[SimulatedCluster, SetClock]) -> None:
    lab = opens(cluster)
    holder = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "holder"},
        "spec": {
            "nodeName": "omen2",
            "containers": [{"name": "one", "image": "one", "resources": {"limits": {CARD: "1"}}}],
        },
    }
    lab.api.create("/api/v1/namespaces/vms/pods", holder)
    lab.play(REVIVED)
    assert seen(lab) == WAITS
    lab.api.delete("/api/v1/namespaces/vms/pods/holder")
    lab.run(10)
    assert seen(lab) == RUNS


def test_without_a_scheduler_it_waits_for_ever(cluster: tuple[SimulatedCluster, SetClock]) -> None:
    lab = opens(cluster, Scheduler)
    lab.play(REVIVED)
    assert seen(lab) == WAITS


def test_without_a_virt_controller_nobody_hears_of_the_launcher(cluster: tuple[SimulatedCluster, SetClock]) -> None:
    lab = opens(cluster, VirtController)
    lab.play(REVIVED)
    assert seen(lab) == (("omen2", "Running"), *WAITS[1:])


def test_without_virt_handler_on_the_node_the_guest_does_not_start(cluster: tuple[SimulatedCluster, SetClock]) -> None:
    lab = opens(cluster, silent="omen2")
    lab.play(REVIVED)
    assert seen(lab) == (("omen2", "Running"), ("Scheduled", "omen2"), ("Starting", False))
    assert told(named(lab, INSTANCES, "gpu-fedora")) == {"Ready": "False"}


def test_a_kubelet_that_comes_back_counts_its_devices_before_the_scheduler_may_look(
    cluster: tuple[SimulatedCluster, SetClock],
) -> None:
    """Else the number from before its death would be an offer."""
    lab = opens(cluster, VirtHandlers)
    lab.do("label")
    cluster[0].faults.clear()
    for press in REVIVED:
        lab.do(press)
    wrote = [one.path for one in cluster[0].faults.requests if one.verb == "patch" and "/nodes/omen2" in one.path]
    assert wrote[:2] == [f"{NODES}/omen2/status", f"{NODES}/omen2"]
