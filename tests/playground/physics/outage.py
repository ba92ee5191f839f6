"""Incident A on a host of the playground, moved by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from bot.playground.physics.api import NODES, Api
from bot.playground.physics.gpu_operator import MODE, GpuOperator
from bot.playground.physics.host import Host
from bot.playground.physics.host_kubelet import HostKubelet
from bot.playground.physics.vfio_manager import VfioManager
from bot.playground.physics.world import Controller
from tests.support.redis import SetClock

DUMP = Path(__file__).parent.parent.parent / "scenarios" / "swap-kubelet" / "dump"


class Lab:
    """The outage, moved by hand, one second at a time."""

    def __init__(
        self, api: Api, clock: SetClock, *, operator: bool = True, more: Sequence[Controller] = (), **host: str
    ) -> None:
        self.api = api
        self.clock = clock
        self.host = Host(api, "omen2")
        self.host.build(**host)
        controllers: list[Controller] = [HostKubelet(self.host), VfioManager(self.host), *more]
        self.controllers = [GpuOperator(), *controllers] if operator else controllers

    def run(self, seconds: int) -> None:
        for _ in range(seconds):
            self.clock.at += timedelta(seconds=1)
            for controller in self.controllers:
                controller.step(self.api, self.clock.at)

    def do(self, press: str) -> None:
        match press:
            case "label":
                self.api.patch(f"{NODES}/omen2", {"metadata": {"labels": {MODE: "container"}}})
            case "stop kubelet":
                self.host.run("sudo systemctl stop kubelet")
            case "swapoff":
                self.host.run("sudo swapoff -a")
            case "start kubelet":
                self.host.run("sudo systemctl start kubelet")
            case "wait":
                self.run(15)
        self.run(3)

    def play(self, presses: Sequence[str]) -> dict[str, str]:
        self.run(2)
        for press in presses:
            self.do(press)
        self.run(25)
        return self.host.state()
