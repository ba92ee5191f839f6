"""The four dead nodes on the simulated cluster, and what an operator and a kubelet would do to omen2."""

from __future__ import annotations

from typing import Any

from bot.remedy.decision import Policy
from tests.app.repair.world import JOURNAL, ROOT, DumpWorld
from tests.support.servers import Simulated

DUMP = ROOT / "tests/scenarios/swap-kubelet/dump"
OMEN2 = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "omen2"}}
LEASE = {
    "apiVersion": "coordination.k8s.io/v1",
    "kind": "Lease",
    "metadata": {"name": "omen2", "namespace": "kube-node-lease"},
}
MODE = "nvidia.com/gpu.workload.config"
DEPLOY = "nvidia.com/gpu.deploy."
SANDBOX = ("sandbox-device-plugin", "sandbox-validator", "vfio-manager")
CONTAINERS = ("container-toolkit", "device-plugin", "operator-validator")


class Lab(DumpWorld):
    """The four dead nodes, and what an operator and a kubelet would do to omen2."""

    def __init__(self, url: str, simulated: Simulated, *, policy: Policy | None = None, mutations: bool = True) -> None:
        super().__init__(url, simulated, DUMP, policy=policy or Policy(mutations=mutations), mutations=mutations)

    def diagnosed(self) -> None:
        self.fire()
        self.paste(JOURNAL)

    def operator_reacts(self) -> None:
        """What the GPU Operator makes of the label `container`."""
        labels: dict[str, Any] = {f"{DEPLOY}{one}": None for one in SANDBOX}
        labels |= {f"{DEPLOY}{one}": "true" for one in CONTAINERS}
        self.api.merge(OMEN2, {"metadata": {"labels": labels}})
        for pod in self.api.items("", "v1", "pods"):
            if pod["spec"].get("nodeName") == "omen2" and "nvidia" in pod["metadata"]["name"]:
                self.api.delete({**pod, "apiVersion": "v1", "kind": "Pod"}, gracePeriodSeconds=0)

    def kubelet_lives(self) -> None:
        now = self.clock.now()
        ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "lastTransitionTime": stamp(now)}
        allocatable = {"nvidia.com/gpu": "1", "cpu": "16"}
        self.api.merge(OMEN2, {"status": {"conditions": [ready], "allocatable": allocatable}}, "status")
        self.beat()

    def beat(self) -> None:
        self.api.merge(LEASE, {"spec": {"renewTime": self.clock.now().strftime("%Y-%m-%dT%H:%M:%S.%fZ")}})

    def label(self) -> str:
        return str(self.api.get(OMEN2)["metadata"]["labels"][MODE])


def stamp(when: Any) -> str:
    return str(when.strftime("%Y-%m-%dT%H:%M:%SZ"))
