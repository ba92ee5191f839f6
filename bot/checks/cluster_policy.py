"""Are the GPU Operator's settings those that machines with GPUs need?"""

from __future__ import annotations

from bot.checks.check import Answer, Check
from bot.checks.evidence import NONE, quoted
from bot.checks.views.components import gpu_operator
from bot.checks.views.demand import demands
from bot.checks.views.workload_mode import policy, sandbox_enabled
from bot.model.findings import Blind, Code, Finding, Kind, Severity
from bot.model.objects import ref_of
from bot.model.sections import Section
from bot.model.snapshot import Snapshot

SANDBOX = Code("sandbox-workloads")
HOST_DRIVER = Code("host-driver")
SANDBOX_OFF = Code("sandbox-workloads-off")
_ENABLED = "spec.sandboxWorkloads.enabled"


def _run(snapshot: Snapshot) -> Answer:
    one = policy(snapshot)
    if one is None:
        return
    about = ref_of(one)
    asking = tuple(demand.vm for demand in demands(snapshot) if demand.resources and demand.is_unschedulable)
    enabled = sandbox_enabled(snapshot)
    if enabled is None:
        yield Blind(
            check="cluster-policy",
            codes=(SANDBOX, SANDBOX_OFF),
            subject=about,
            why="sandbox-not-told",
            command="kubectl get clusterpolicies -o yaml",
            required=False,
        )
    elif enabled:
        yield Finding(
            code=SANDBOX,
            subject=about,
            kind=Kind.RULED_OUT,
            severity=Severity.INFO,
            evidence=(quoted(about, _ENABLED, "true"),),
        )
    elif asking:
        yield Finding(
            code=SANDBOX_OFF,
            subject=about,
            severity=Severity.CRITICAL,
            evidence=(quoted(about, _ENABLED, NONE if one.spec.sandbox_workloads.enabled is None else "false"),),
            refs={"vm": asking},
        )
    if one.spec.driver.enabled is False:
        yield Finding(
            code=HOST_DRIVER,
            subject=about,
            kind=Kind.RULED_OUT,
            severity=Severity.INFO,
            evidence=(quoted(about, "spec.driver.enabled", "false"),),
        )


CHECK = Check(
    name="cluster-policy",
    codes=(SANDBOX, HOST_DRIVER, SANDBOX_OFF),
    reads=(Section.CLUSTERPOLICIES,),
    also_reads=(Section.VIRTUALMACHINES, Section.VIRTUALMACHINEINSTANCES, Section.NODES),
    applies=gpu_operator,
    run=_run,
)
