"""Puts the cluster of a rehearsal together: the simulated server, what moves in it, how bot and physics reach it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import bot
from bot.adapters.files.documents import documents
from bot.adapters.files.dump import DumpCluster
from bot.adapters.kubernetes.cluster import LiveCluster
from bot.adapters.kubernetes.hands import KubernetesHands
from bot.app.ports import Read
from bot.model.objects import Lease
from bot.model.sections import Section
from bot.model.snapshot import known
from bot.playground.apiserver.server import SimulatedCluster
from bot.playground.physics.api import Api
from bot.playground.physics.gpu_operator import GpuOperator
from bot.playground.physics.host import Host
from bot.playground.physics.host_kubelet import HostKubelet
from bot.playground.physics.karpenter import Karpenter
from bot.playground.physics.kubelets import Kubelets
from bot.playground.physics.monitor import NodeMonitor
from bot.playground.physics.rollouts import Rollouts
from bot.playground.physics.scheduler import Scheduler
from bot.playground.physics.vfio_manager import VfioManager
from bot.playground.physics.virt_controller import VirtController
from bot.playground.physics.virt_handlers import VirtHandlers
from bot.playground.physics.workloads import Workloads
from bot.playground.physics.world import Controller, Physics, WorldClock

CLUSTER = "playground"
_NAMESPACE = "gpu-autopsy"
_NODE = "omen2"
#: A kubelet renews its Lease every 10 s, and the Lease holds 40 s.
_SILENT = timedelta(seconds=60)


class NoScenario(ValueError):
    """A scenario that cannot be played; the text is a reason of the catalogue with a detail behind it, or in words."""


class World(NamedTuple):
    """The rehearsed cluster: as the bot reads it, as its hands reach it, as its physics do, and its machine."""

    clock: WorldClock
    cluster: LiveCluster
    hands: KubernetesHands
    api: Api
    host: Host


def dump_of(scenario: str) -> Path:
    """The folder of the scenario's dump.

    Raises:
        NoScenario: it is not on this machine.
    """
    dump = Path(bot.__file__).parent.parent / "tests" / "scenarios" / scenario / "dump"
    if not dump.is_dir():
        raise NoScenario(f"demo-no-checkout {dump}")
    return dump


@contextmanager
def rehearsed(dump: Path, speed: float) -> Iterator[World]:
    """The rehearsed cluster, moving from the moment at which its dump was taken."""
    source = DumpCluster(dump, CLUSTER)
    newest = source.newest()
    if newest is None:
        raise NoScenario(f"demo-no-time {dump}")
    clock = WorldClock(newest.at, speed, time.monotonic)
    with ExitStack() as stack:
        simulated = stack.enter_context(SimulatedCluster(clock, name=CLUSTER))
        simulated.load(one.item for path in sorted(dump.glob("*.yaml")) for one in documents(path) if one.item)
        api = Api(simulated.kubeconfig())
        api.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": _NAMESPACE}})
        host = Host(api, _NODE)
        physics = Physics(api, clock, _controllers(source, clock, host))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gpu-autopsy-")))
        kubeconfig = simulated.write_kubeconfig(folder / "kubeconfig")
        physics.start()
        stack.callback(physics.stop)
        cluster = LiveCluster.connect(kubeconfig, name=CLUSTER)
        yield World(clock, cluster, KubernetesHands.connect(kubeconfig), api, host)


def _controllers(source: DumpCluster, clock: WorldClock, host: Host) -> tuple[Controller, ...]:
    """What moves in this cluster: Karpenter's loop where Karpenter is, else GPU Operator, KubeVirt, dead machine."""
    (claims,) = source.read((Read(section=Section.NODECLAIMS),))
    silent = _silent(source, clock)
    kubelets = Kubelets(silent)
    if known(claims.objects):
        return kubelets, NodeMonitor(), Karpenter(), Workloads(), Rollouts()
    host.build()
    kubevirt = VirtController(), VirtHandlers(silent - {host.node})
    return kubelets, *kubevirt, GpuOperator(), HostKubelet(host), VfioManager(host), Scheduler()


def _silent(source: DumpCluster, clock: WorldClock) -> frozenset[str]:
    """The nodes whose kubelet was dead when the dump was taken."""
    (pages,) = source.read((Read(section=Section.LEASES),))
    leases = [one for one in known(pages.objects) if isinstance(one, Lease)]
    limit = clock.now() - _SILENT
    return frozenset(one.name for one in leases if one.spec.renew_time is None or one.spec.renew_time < limit)
