"""Incident A has consequences: who wins the card depends on the order, and on an operator that reacts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.adapters.files.documents import documents
from bot.adapters.files.dump import DumpCluster
from bot.playground.apiserver.server import SimulatedCluster
from bot.playground.physics.api import NODES, PODS, Api
from bot.playground.physics.host import UnknownCommand
from tests.playground.physics.outage import DUMP, Lab
from tests.support.redis import SetClock

RIGHT = ("label", "stop kubelet", "swapoff", "start kubelet")


@pytest.fixture
def world() -> Iterator[tuple[Api, SetClock]]:
    newest = DumpCluster(DUMP, "lab").newest()
    assert newest is not None
    clock = SetClock(newest.at)
    with SimulatedCluster(clock) as simulated:
        simulated.load(one.item for path in sorted(DUMP.glob("*.yaml")) for one in documents(path) if one.item)
        yield Api(simulated.kubeconfig()), clock


def test_the_right_order_keeps_the_job_and_brings_the_node_back(world: tuple[Api, SetClock]) -> None:
    lab = Lab(*world)
    state = lab.play(RIGHT)
    assert (state["kubelet"], state["cuda"], state["driver"]) == ("running", "running", "nvidia")
    node = lab.api.get(f"{NODES}/omen2")
    assert node is not None
    assert [one["status"] for one in node["status"]["conditions"] if one["type"] == "Ready"] == ["True"]
    assert node["status"]["allocatable"]["nvidia.com/gpu"] == "1"
    assert not [one for one in node["spec"].get("taints", ()) if "unreachable" in one["key"]]
    names = {pod["metadata"]["name"] for pod in lab.api.list(PODS) if pod["spec"].get("nodeName") == "omen2"}
    assert any(name.startswith("nvidia-device-plugin-daemonset") for name in names)
    assert not any("sandbox" in name or "vfio" in name for name in names)


@pytest.mark.parametrize(
    "order",
    [
        ("swapoff",),
        ("swapoff", "wait", "label"),
        ("stop kubelet", "swapoff", "start kubelet"),
        ("stop kubelet", "swapoff", "start kubelet", "label"),
    ],
    ids=", ".join,
)
def test_any_order_that_revives_the_kubelet_first_kills_the_job(
    order: tuple[str, ...], world: tuple[Api, SetClock]
) -> None:
    lab = Lab(*world)
    state = lab.play(order)
    assert (state["cuda"], state["driver"]) == ("killed", "vfio-pci")


def test_swapoff_alone_brings_the_kubelet_back_within_ten_seconds(world: tuple[Api, SetClock]) -> None:
    lab = Lab(*world)
    lab.run(12)
    assert lab.host.state()["kubelet"] == "crash-loop"
    lab.host.run("swapoff -a")
    lab.run(11)
    assert lab.host.state()["kubelet"] == "running"


def test_a_label_without_an_operator_protects_nothing(world: tuple[Api, SetClock]) -> None:
    assert Lab(*world, operator=False).play(RIGHT)["cuda"] == "killed"


def test_the_operator_reacts_on_a_dead_node(world: tuple[Api, SetClock]) -> None:
    lab = Lab(*world)
    lab.do("label")
    node = lab.api.get(f"{NODES}/omen2")
    assert node is not None
    labels = node["metadata"]["labels"]
    assert "nvidia.com/gpu.deploy.vfio-manager" not in labels
    assert labels["nvidia.com/gpu.deploy.device-plugin"] == "true"
    pods = [pod for pod in lab.api.list(PODS) if pod["spec"].get("nodeName") == "omen2"]
    sandbox = [pod for pod in pods if "sandbox" in pod["metadata"]["name"] or "vfio" in pod["metadata"]["name"]]
    assert len(sandbox) == 3
    assert all("deletionTimestamp" in pod["metadata"] for pod in sandbox)


def test_a_job_that_was_killed_cannot_be_stopped_any_more(world: tuple[Api, SetClock]) -> None:
    lab = Lab(*world)
    assert lab.play(("swapoff", "wait"))["cuda"] == "killed"
    lab.host.run("sudo systemctl stop cuda-job")
    assert lab.host.state()["cuda"] == "killed"


def test_a_host_answers_what_it_is_and_refuses_what_it_does_not_know(world: tuple[Api, SetClock]) -> None:
    lab = Lab(*world)
    assert "/swapfile" in lab.host.run("cat /proc/swaps")
    lab.host.run("sudo swapoff -a")
    assert lab.host.run("cat /proc/swaps").splitlines()[1:] == []
    shown = "tail -n +1 /proc/swaps /etc/fstab"
    assert "\n/swapfile none swap" in lab.host.run(shown)
    lab.host.run("sudo sed -i.bak '/\\sswap\\s/s/^#*/#/' /etc/fstab")
    assert "\n#/swapfile none swap" in lab.host.run(shown)
    listed = "systemctl list-unit-files '*swap*' '*zram*'"
    assert "swapfile.swap    generated" in lab.host.run(listed), "until systemd reads fstab again"
    lab.host.run("sudo systemctl mask swap.target")
    lab.host.run("sudo systemctl daemon-reload")
    assert lab.host.run(listed).splitlines()[1:] == ["swap.target      masked    -", "", "1 unit files listed."]
    assert "4711, /usr/bin/python3" in lab.host.run("nvidia-smi --query-compute-apps=pid,name --format=csv")
    assert "4711" in lab.host.run("nvidia-smi")
    assert "/dev/nvidia0" in lab.host.run("sudo fuser -v /dev/nvidia*")
    lab.host.run("sudo systemctl stop cuda-job")
    assert lab.host.state()["cuda"] == "stopped"
    assert lab.host.run("nvidia-smi --query-compute-apps=pid,name --format=csv") == "pid, process_name\n"
    assert "No running processes found" in lab.host.run("nvidia-smi")
    lab.host.change(driver="vfio-pci")
    assert "couldn't communicate" in lab.host.run("nvidia-smi")
    with pytest.raises(UnknownCommand, match="reboot"):
        lab.host.run("reboot")
