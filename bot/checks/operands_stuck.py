"""Do operand pods hang on a node whose kubelet is dead? An effect, always: nobody can end or restart them there."""

from __future__ import annotations

from bot.checks.check import Answer, Check, unread
from bot.checks.evidence import quoted, stamp
from bot.checks.views.components import gpu_operator
from bot.checks.views.liveness import WITNESSES, dead_kubelets, is_told
from bot.checks.views.operands import has_failed, is_stuck, operands
from bot.model.findings import Code, Evidence, Finding
from bot.model.objects import Pod, ref_of
from bot.model.refs import node as node_ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot

STUCK = Code("operands-stuck")


def _run(snapshot: Snapshot) -> Answer:
    if not is_told(snapshot):
        yield unread("operands-stuck", (STUCK,), snapshot, WITNESSES)
    for name in dead_kubelets(snapshot):
        pods = operands(snapshot, name)
        ending = [pod for pod in pods if is_stuck(pod, snapshot.at)]
        failed = [pod for pod in pods if has_failed(pod) and pod not in ending]
        if ending or failed:
            yield Finding(
                code=STUCK,
                subject=node_ref(name),
                evidence=(*(_ending(pod) for pod in ending), *(_failed(pod) for pod in failed)),
                values={"terminating": len(ending), "error": len(failed)},
                refs={"pod": tuple(ref_of(pod) for pod in ending + failed)},
            )


def _ending(pod: Pod) -> Evidence:
    when = pod.metadata.deletion_timestamp
    return quoted(ref_of(pod), "metadata.deletionTimestamp", stamp(when) if when else "", first=when)


def _failed(pod: Pod) -> Evidence:
    for one in pod.status.container_statuses + pod.status.init_container_statuses:
        ended = one.state.terminated
        if ended is not None and ended.exit_code != 0:
            quote = f"{ended.reason} exit code {ended.exit_code}".strip()
            return quoted(
                ref_of(pod), f"status.containerStatuses[{one.name}].state.terminated", quote, last=ended.finished_at
            )
    return quoted(ref_of(pod), "status.phase", pod.status.phase)


CHECK = Check(
    name="operands-stuck",
    codes=(STUCK,),
    reads=(Section.PODS,),
    also_reads=WITNESSES,
    applies=gpu_operator,
    run=_run,
)
