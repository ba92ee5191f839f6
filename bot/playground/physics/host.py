"""The machine below a node: swap, the kubelet's unit, the GPU's driver, a CUDA job. Its state lies in a ConfigMap, so
that it is told and changed through the Kubernetes API like everything else here.

A person's commands change it; what a real host would answer is answered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from bot.playground.physics.api import Api, Object

_PATH = "/api/v1/namespaces/default/configmaps"
_SWAPS_HEADER = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority"
_SWAPFILE = "/swapfile                               file\t\t33554428\t0\t\t-2"
_JOB = "4711, /usr/bin/python3"


class UnknownCommand(ValueError):
    """A command that this host does not know."""


class Host:
    """One machine.

    State: `swap` on/off, `fstab` on/off (swap comes back at boot), `generated` on/off (systemd's swap unit, made of
    fstab whenever systemd reloads), `target` static/masked (swap.target), `unit` started/stopped, `kubelet`
    crash-loop/running/stopped, `attempt` (when systemd last tried, RFC 3339), `driver` nvidia/vfio-pci, `cuda`
    running/stopped/killed.
    """

    def __init__(self, api: Api, node: str) -> None:
        self._api = api
        self.node = node
        self._name = f"host-{node}"

    def build(self, **state: str) -> None:
        """Put the machine there, as incident A left it unless told otherwise."""
        start = {"swap": "on", "fstab": "on", "unit": "started", "kubelet": "crash-loop", "attempt": ""}
        systemd = {"generated": "on", "target": "static"}
        data = {**start, **systemd, "driver": "nvidia", "cuda": "running", **state}
        body: Object = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": self._name}, "data": data}
        self._api.create(_PATH, body)

    def state(self) -> dict[str, str]:
        """How the machine is; empty where there is none."""
        found = self._api.get(f"{_PATH}/{self._name}")
        return cast("dict[str, str]", found["data"]) if found else {}

    def change(self, **state: str) -> None:
        """Change the machine."""
        self._api.patch(f"{_PATH}/{self._name}", {"data": state})

    def run(self, command: str) -> str:
        """What a person types on the host, and what it prints.

        Raises:
            UnknownCommand: the rehearsal has no such command.
        """
        plain = command.removeprefix("sudo ")
        change = next((change for begin, change in _CHANGES.items() if plain.startswith(begin)), None)
        if change is not None:
            self.change(**change(self.state()))
            return ""
        answer = next((answer for begin, answer in _ANSWERS.items() if plain.startswith(begin)), None)
        if answer is None:
            raise UnknownCommand(command)
        return answer(self.state())


def _swaps(state: dict[str, str]) -> str:
    return "\n".join([_SWAPS_HEADER] + [_SWAPFILE] * (state["swap"] == "on")) + "\n"


def _files(state: dict[str, str]) -> str:
    mark = "" if state["fstab"] == "on" else "#"
    fstab = f"UUID=6a1f-22 / ext4 defaults 0 1\n{mark}/swapfile none swap sw 0 0\n"
    return f"==> /proc/swaps <==\n{_swaps(state)}\n==> /etc/fstab <==\n{fstab}"


def _unit_files(state: dict[str, str]) -> str:
    rows = ["swapfile.swap    generated -"] * (state["generated"] == "on")
    rows += [f"swap.target      {state['target']:<9} -"]
    return "\n".join(["UNIT FILE        STATE     PRESET", *rows, "", f"{len(rows)} unit files listed.", ""])


def _active(state: dict[str, str]) -> str:
    return {"running": "active", "stopped": "inactive", "crash-loop": "activating"}[state["kubelet"]] + "\n"


def _processes(state: dict[str, str]) -> str:
    return "\n".join(["pid, process_name"] + [_JOB] * (state["cuda"] == "running")) + "\n"


def _holders(state: dict[str, str]) -> str:
    line = "/dev/nvidia0:        root       4711 F...m python3\n"
    return "                     USER        PID ACCESS COMMAND\n" + line if state["cuda"] == "running" else ""


def _summary(state: dict[str, str]) -> str:
    if state["driver"] != "nvidia":
        return "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"
    line = "|    0   N/A  N/A      4711      C   /usr/bin/python3    |" if state["cuda"] == "running" else ""
    return f"| Processes:                                           |\n{line or '|  No running processes found  |'}\n"


_FREE = (
    "               total        used        free      shared  buff/cache   available\n"
    "Mem:          128808       21404       88123         412       19281      106201\n"
    "Swap:          32767           0       32767\n"
)


def _started(state: dict[str, str]) -> dict[str, str]:
    """The kubelet runs at once, unless swap makes it end again."""
    return {"unit": "started", "attempt": "", "kubelet": "crash-loop" if state["swap"] == "on" else "running"}


#: What commands do, by how they begin.
_CHANGES: dict[str, Callable[[dict[str, str]], dict[str, str]]] = {
    "systemctl stop kubelet": lambda _state: {"unit": "stopped", "kubelet": "stopped"},
    "systemctl start kubelet": _started,
    "systemctl stop cuda-job": lambda state: {"cuda": "stopped"} if state["cuda"] == "running" else {},
    "systemctl mask swap.target": lambda _state: {"target": "masked"},
    "systemctl daemon-reload": lambda state: {"generated": state["fstab"]},
    "swapoff -a": lambda _state: {"swap": "off"},
    "sed -i": lambda _state: {"fstab": "off"},
}
#: What commands print, by how they begin. Swap came from fstab alone here: no unit of its own, no zram.
_ANSWERS: dict[str, Callable[[dict[str, str]], str]] = {
    "cat /proc/swaps": _swaps,
    "swapon --show": _swaps,
    "tail -n +1 /proc/swaps /etc/fstab": _files,
    "systemctl is-active kubelet": _active,
    "systemctl list-unit-files": _unit_files,
    "free -m": lambda _state: _FREE,
    "nvidia-smi --query-compute-apps": _processes,
    "nvidia-smi": _summary,
    "fuser -v /dev/nvidia": _holders,
}
