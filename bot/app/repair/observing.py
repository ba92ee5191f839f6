"""Looks at the cluster, or at a pasted text, and asks a step's probe what it says."""

from __future__ import annotations

from collections.abc import Sequence

from bot.app.gather import Readings
from bot.app.ports import Clock, Cluster, Read
from bot.app.reads import first_reads
from bot.model.hosttext import HostText
from bot.model.refs import MalformedReference, Ref
from bot.model.snapshot import RepairPolicy, Snapshot
from bot.remedy.probes import PROBES, ProbeAnswer
from bot.remedy.runbook import ProbeCall


class Observer:
    """Answers probes.

    Args:
        cluster: where objects are read from.
        world: world time, from which ages count.
        policies: Karpenter's tolerations.
    """

    def __init__(self, cluster: Cluster, world: Clock, policies: Sequence[RepairPolicy] = ()) -> None:
        self._cluster = cluster
        self._world = world
        self._policies = tuple(policies)

    def of_cluster(self, call: ProbeCall, target: Ref) -> ProbeAnswer:
        """What the probe says of the cluster as it is now."""
        reads = reads_for(call, target)
        readings = Readings()
        readings.first = dict(zip(reads, self._cluster.read(reads), strict=True))
        return PROBES[call.probe](readings.snapshot(self._world.now(), (), self._policies), call, target)

    def of_texts(self, call: ProbeCall, target: Ref, texts: Sequence[HostText]) -> ProbeAnswer:
        """What the probe says of these texts of a host, and of nothing else."""
        return PROBES[call.probe](Snapshot(at=self._world.now(), host_texts=tuple(texts)), call, target)


def reads_for(call: ProbeCall, target: Ref) -> tuple[Read, ...]:
    """What a probe needs to see: what its target and the objects among its parameters stand for."""
    meant = [target]
    for value in call.params.values():
        try:
            meant.append(Ref.parse(value))
        except MalformedReference:
            # Most parameters are names and values, not objects.
            continue
    return tuple(dict.fromkeys(one for ref in meant for one in first_reads([ref])))
