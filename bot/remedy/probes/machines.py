"""Virtual machines after a repair: placed, or down because people chose so."""

from __future__ import annotations

from bot.checks.evidence import quoted
from bot.checks.views.demand import advertisers, demands, machine
from bot.model.findings import Evidence
from bot.model.objects import VirtualMachine, VirtualMachineInstance, ref_of
from bot.model.refs import MalformedReference, Ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot, known
from bot.remedy.probes.answer import ProbeAnswer, Question, holds, malformed, not_yet
from bot.remedy.probes.objects import found
from bot.remedy.runbook import ProbeCall

_DOWN = "down-by-choice"
_STATES = frozenset({"scheduled", _DOWN})
#: `printableStatus` of machines that have a place (kubevirt.io/v1).
_PLACED = frozenset({"Running", "Paused", "Migrating"})
_PHASES = frozenset({"Scheduled", "Running"})
#: `runStrategy` of machines that nobody wants to run now.
_HALTED = frozenset({"Halted", "Manual"})


def _settled(snapshot: Snapshot, call: ProbeCall, target: Ref) -> ProbeAnswer:
    state = call.params.get("state", "scheduled")
    if state not in _STATES:
        return malformed(f"state={state}")
    refs = _refs(snapshot, call, target)
    if isinstance(refs, ProbeAnswer):
        return refs
    evidence: list[Evidence] = []
    waiting: list[str] = []
    for ref in refs:
        vm = found(snapshot, ref, VirtualMachine)
        if isinstance(vm, ProbeAnswer):
            return vm
        instance = _instance(snapshot, ref)
        evidence += _quotes(snapshot, vm, instance)
        if not _is_placed(vm, instance):
            waiting.append(ref.name)
    values = {"vms": ", ".join(one.name for one in refs) or "-", "waiting": ", ".join(waiting) or "-"}
    if waiting and state == _DOWN:
        return holds("repair-vms-down-by-choice", values, *evidence)
    if waiting:
        return not_yet("repair-vms-wait", values, *evidence)
    return holds("repair-vms-placed", values, *evidence)


def _refs(snapshot: Snapshot, call: ProbeCall, target: Ref) -> tuple[Ref, ...] | ProbeAnswer:
    """The machines of the parameter, or those that ask for what the target node has ever advertised."""
    if "vms" not in call.params and target.kind == "node":
        asking = [one for one in demands(snapshot) if target.name in _places(snapshot, one.resources)]
        return tuple(one.vm for one in asking if one.vm.kind == "vm")
    texts = [one.strip() for one in call.params.get("vms", str(target)).split(",") if one.strip()]
    try:
        return tuple(Ref.parse(one if one.startswith("vm/") else f"vm/{one}") for one in texts)
    except MalformedReference:
        return malformed(f"vms={', '.join(texts)}")


def _places(snapshot: Snapshot, resources: tuple[str, ...]) -> list[str]:
    return [node.name for node in advertisers(snapshot, resources)]


def _instance(snapshot: Snapshot, vm: Ref) -> VirtualMachineInstance | None:
    return next((one for one in known(snapshot.virtualmachineinstances) if machine(one) == vm), None)


def _is_placed(vm: VirtualMachine, instance: VirtualMachineInstance | None) -> bool:
    if vm.status.printable_status in _PLACED or (instance and instance.status.phase in _PHASES):
        return True
    return vm.status.printable_status == "Stopped" and (vm.spec.run_strategy in _HALTED or vm.spec.running is False)


def _quotes(snapshot: Snapshot, vm: VirtualMachine, instance: VirtualMachineInstance | None) -> list[Evidence]:
    quotes = [quoted(ref_of(vm), "status.printableStatus", vm.status.printable_status, last=snapshot.at)]
    if instance:
        quotes.append(quoted(ref_of(instance), "status.phase", instance.status.phase, last=snapshot.at))
    return quotes


VMS_SETTLED = Question(
    holds_when="Every machine of `vms` has a place (`state` `scheduled`, the default), or they were looked at and "
    "may be down (`down-by-choice`).",
    ask=_settled,
    reads=(Section.VIRTUALMACHINES, Section.VIRTUALMACHINEINSTANCES, Section.NODES),
    may=frozenset({"vms", "state"}),
)
