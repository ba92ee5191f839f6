"""vfio-manager: once its pod runs on a node, the card goes to vfio-pci, and whatever computed on it is killed."""

from __future__ import annotations

from datetime import datetime

from bot.playground.physics.api import PODS, Api
from bot.playground.physics.host import Host

_NAME = "nvidia-vfio-manager"


class VfioManager:
    """One machine's vfio-manager."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def step(self, api: Api, _now: datetime) -> None:
        """Rebind the card if the pod runs."""
        state = self._host.state()
        if state.get("kubelet") != "running" or state["driver"] == "vfio-pci":
            return
        pods = api.list(f"{PODS}?fieldSelector=spec.nodeName={self._host.node}")
        mine = [pod for pod in pods if pod["metadata"]["name"].startswith(_NAME)]
        if any("deletionTimestamp" not in pod["metadata"] for pod in mine):
            self._host.change(driver="vfio-pci", **({"cuda": "killed"} if state["cuda"] == "running" else {}))
