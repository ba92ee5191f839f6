"""Looks at the cluster, or at a pasted text, and asks a step's probe what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from bot.app.gather import Readings
from bot.app.ports import Clock, Cluster, Read
from bot.app.reads import first_reads
from bot.app.repair.ports import ConfigMaps
from bot.checks.evidence import NONE, quoted
from bot.model.findings import Evidence
from bot.model.hosttext import Output
from bot.model.refs import MalformedReference, Ref
from bot.model.sections import NotInstalled, Section, Unknown
from bot.model.snapshot import RepairPolicy, Snapshot
from bot.remedy.cordons import Cordons, cordons
from bot.remedy.plan import Plan, PlanStep
from bot.remedy.probes import PROBES, ProbeAnswer, call_of, configmaps_of
from bot.remedy.runbook import Probe, ProbeCall

#: Kinds of which an object is looked for by its name.
_SECTIONS: Mapping[str, Section] = {
    "node": Section.NODES,
    "pod": Section.PODS,
    "ds": Section.DAEMONSETS,
    "deploy": Section.DEPLOYMENTS,
    "vm": Section.VIRTUALMACHINES,
    "nodeclaim": Section.NODECLAIMS,
    "nodepool": Section.NODEPOOLS,
}


class Observer:
    """Answers probes.

    Args:
        cluster: where objects are read from.
        world: world time, from which ages count.
        policies: Karpenter's tolerations.
        configmaps: reads single ConfigMaps; None for whoever may not, who then cannot tell what is in them.
    """

    def __init__(
        self,
        cluster: Cluster,
        world: Clock,
        policies: Sequence[RepairPolicy] = (),
        configmaps: ConfigMaps | None = None,
    ) -> None:
        self._cluster = cluster
        self._world = world
        self._policies = tuple(policies)
        self._configmaps = configmaps

    def sees(self, step: PlanStep) -> bool:
        """Whether this process may read what the step's probe asks for."""
        return step.action.verify.probe is not Probe.CONFIG_IS or self._configmaps is not None

    def verification(self, plan: Plan, step: PlanStep) -> ProbeAnswer:
        """Whether the cluster shows that the step worked."""
        return self.of_cluster(call_of(plan, step), step.action.target.ref)

    def of_cluster(self, call: ProbeCall, target: Ref) -> ProbeAnswer:
        """What the probe says of the cluster as it is now."""
        reads = reads_for(call, target)
        readings = Readings()
        readings.first = dict(zip(reads, self._cluster.read(reads), strict=True))
        snapshot = readings.snapshot(self._world.now(), (), self._policies)
        if call.probe is Probe.CONFIG_IS:
            snapshot = self._with_configmaps(snapshot, call, target)
        return PROBES[call.probe](snapshot, call, target)

    def cordons(self, but: Ref) -> Cordons:
        """How many other nodes the bot keeps cordoned, as the cluster shows it now."""
        readings, read = Readings(), Read(section=Section.NODES)
        readings.first = dict(zip((read,), self._cluster.read((read,)), strict=True))
        return cordons(readings.snapshot(self._world.now(), (), ()), but)

    def gone(self, ref: Ref) -> tuple[Evidence, ...]:
        """What shows that the object is not there any more; nothing where it is there, or where that cannot be told.

        A kind that is not installed, an unreadable answer and a kind that is never read tell nothing.
        """
        section = _SECTIONS.get(ref.kind)
        if section is None:
            return ()
        (pages,) = self._cluster.read((Read(section=section, namespace=ref.namespace, name=ref.name),))
        found = pages.objects
        if isinstance(found, Unknown | NotInstalled) or pages.gap is not None:
            return ()
        there = {(one.name, one.namespace) for one in found} | {(one.name, one.namespace) for one in pages.unreadable}
        is_there = (ref.name, ref.namespace) in there
        return () if is_there else (quoted(ref, "metadata.name", NONE, last=self._world.now()),)

    def of_outputs(self, call: ProbeCall, target: Ref, outputs: Sequence[Output]) -> ProbeAnswer:
        """What the probe says of what a host's commands showed, and of nothing else."""
        return PROBES[call.probe](Snapshot(at=self._world.now(), outputs=tuple(outputs)), call, target)

    def _with_configmaps(self, snapshot: Snapshot, call: ProbeCall, target: Ref) -> Snapshot:
        refs = configmaps_of(snapshot, call, target)
        if self._configmaps is None or isinstance(refs, ProbeAnswer):
            return snapshot
        return msgspec.structs.replace(snapshot, configmaps=self._configmaps.configmaps(refs))


def reads_for(call: ProbeCall, target: Ref) -> tuple[Read, ...]:
    """What a probe needs to see of its target and of the objects that its parameters name."""
    meant = [target]
    for value in call.params.values():
        try:
            meant.append(Ref.parse(value))
        except MalformedReference:
            # Most parameters are names and values, not objects.
            continue
    wanted = PROBES[call.probe].reads
    reads = tuple(dict.fromkeys(one for ref in meant for one in first_reads([ref])))
    narrowed = tuple(one for one in reads if one.section in wanted)
    return narrowed if wanted else reads
