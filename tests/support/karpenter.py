"""Karpenter itself on a real control plane, with kwok as the kubelet of the nodes that it makes.

`AUTOPSY_TEST_KARPENTER` names a folder with a program `start KUBECONFIG DIR SPEEDUP`, which prints "ready" and runs
until it is ended, and `example.yaml`: a node class, the NodePool `gpu` and a Deployment that asks for one GPU.
SPEEDUP divides the tolerations of node repair, `FEATURE_GATES` of the environment are Karpenter's.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread

import httpx
import pytest

from bot.adapters.files.documents import documents
from tests.support.controlplane import ADMIN, ControlPlane
from tests.support.kubeapi import Json, KubeApi, path_of

KARPENTER = "AUTOPSY_TEST_KARPENTER"
#: 10 minutes become 15 seconds.
SPEEDUP = 40
#: The first start builds Karpenter where nobody did before.
_START = 900.0
_MARK = "AcceleratedHardwareReady"


class Marker:
    """A stand-in for the node monitor on hosts without libdcgm: marks each node of Karpenter's once it is Ready."""

    def __init__(self, api: KubeApi) -> None:
        self._api = api
        self._stop = Event()
        self._thread = Thread(target=self._run, name="node-monitor", daemon=True)
        self.marked: list[str] = []
        self.failures: list[Exception] = []

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(0.5):
            try:
                for node in self._api.items("", "v1", "nodes"):
                    if "karpenter.sh/nodepool" in (node["metadata"].get("labels") or {}):
                        self._look(node)
            # The next look may succeed; the test shows what went wrong if none did.
            except (httpx.HTTPError, AssertionError) as why:
                self.failures.append(why)

    def _look(self, node: Json) -> None:
        conditions = {one["type"]: one["status"] for one in node["status"].get("conditions") or ()}
        if conditions.get("Ready") != "True" or _MARK in conditions:
            return
        mark = {
            "type": _MARK,
            "status": "False",
            "reason": "DCGMError",
            "message": "failed to initialize DCGM: libdcgm.so not Found",
            "lastTransitionTime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        named = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node["metadata"]["name"]}}
        # Joined by type, so that what the kubelet says of the node stays.
        form = {"Content-Type": "application/strategic-merge-patch+json"}
        answer = self._api.http.patch(f"{path_of(named)}/status", json={"status": {"conditions": [mark]}}, headers=form)
        if answer.status_code == 200:
            self.marked.append(node["metadata"]["name"])


class Karpenter:
    """Karpenter and kwok as programs on this machine.

    Args:
        folder: with the program `start`.
        kubeconfig: of whom they run as.
        scratch: their logs go there.
    """

    def __init__(self, folder: Path, kubeconfig: Path, scratch: Path) -> None:
        self._command = [folder / "start", kubeconfig, scratch, str(SPEEDUP)]
        self._log = scratch.parent / "karpenter-start.log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, gates: str = "NodeRepair=true") -> None:
        """Start with these feature gates, and wait until they run."""
        with self._log.open("wb") as log:
            environ = {**os.environ, "FEATURE_GATES": gates}
            self._process = subprocess.Popen(self._command, stdout=log, stderr=subprocess.STDOUT, env=environ)
        ends = time.monotonic() + _START
        while "ready" not in self._log.read_text().split():
            assert self._process.poll() is None, self._log.read_text()
            assert time.monotonic() < ends, "Karpenter was not built and started in time"
            time.sleep(0.2)

    def stop(self) -> None:
        """End them: the program ends what it started."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(30)
            self._process = None


@contextmanager
def running(folder: Path, kubeconfig: Path, scratch: Path) -> Iterator[Karpenter]:
    """Karpenter and kwok, until the block is left."""
    program = Karpenter(folder, kubeconfig, scratch)
    try:
        program.start()
        yield program
    finally:
        program.stop()


def folder_or_skip() -> Path:
    """The folder of Karpenter's start program; skips the test where it is not named."""
    place = os.environ.get(KARPENTER)
    if not place:
        pytest.skip(f"{KARPENTER} names no folder with Karpenter's start program")
    return Path(place)


@pytest.fixture(scope="module")
def karpenter(live_control_plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Marker]:
    """Karpenter at work on the pool `gpu`, whose every node is soon marked as without DCGM."""
    folder = folder_or_skip()
    with (
        live_control_plane.api() as api,
        running(folder, live_control_plane.kubeconfig(ADMIN), tmp_path_factory.mktemp("karpenter") / "work"),
    ):
        api.load([one.item for one in documents(folder / "example.yaml") if one.item], collected=True)
        marker = Marker(api)
        marker.start()
        try:
            yield marker
        finally:
            marker.stop()
