"""Dumps of a small cluster, well or not, and the command run on them: in this process, or in one of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from bot.entry.cli import app
from bot.model.sections import RESOURCES
from tests.support.objects import listed, thing, write

ROOT = Path(__file__).parent.parent.parent
AT = "2026-11-30T06:30:00Z"


def gpu_node(name: str, status: str) -> dict[str, Any]:
    """A Ready GPU node of a pool whose monitor says this of its GPUs."""
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-30T06:00:00Z", "lastHeartbeatTime": AT}
    gpus = {
        "type": "AcceleratedHardwareReady",
        "status": status,
        "reason": "DCGMError" if status == "False" else "AcceleratedHardwareIsReady",
        "message": "failed to initialize DCGM: libdcgm.so not Found" if status == "False" else "",
        "lastTransitionTime": "2026-11-30T06:20:00Z",
    }
    labels = {"karpenter.sh/nodepool": "gpu"}
    meta = {"labels": labels, "creationTimestamp": "2026-11-30T05:00:00Z"}
    return thing("Node", name, meta=meta, status={"conditions": [ready, gpus]})


def lease(name: str) -> dict[str, Any]:
    return thing("Lease", name, "kube-node-lease", api="coordination.k8s.io/v1", spec={"renewTime": AT})


def dump(folder: Path, *nodes: dict[str, Any]) -> Path:
    """Every section collected and empty, and these nodes with fresh leases."""
    for section in RESOURCES:
        write(folder, f"{section.value}.json", listed())
    write(folder, "nodes.json", listed(*nodes))
    write(folder, "leases.json", listed(*(lease(one["metadata"]["name"]) for one in nodes)))
    write(folder, "pool.json", thing("NodePool", "gpu", api="karpenter.sh/v1"))
    return folder


def healthy(folder: Path) -> Path:
    return dump(folder, gpu_node("a", "True"))


def broken(folder: Path) -> Path:
    return dump(folder, gpu_node("a", "False"), gpu_node("b", "False"))


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(app, ["diagnose", *map(str, args)])


def answer(*args: str | Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*args, "--json").stdout)
    return found


def command(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "bot", *args], cwd=ROOT, capture_output=True, text=True, check=False)


def python(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
