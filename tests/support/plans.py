"""A small plan, decisions about it and their entries, for tests of what keeps them."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from bot.model.refs import node
from bot.remedy.decision import Decision, Entry
from bot.remedy.plan import Actor, Plan, PlanState, PlanStep, StepState
from bot.remedy.runbook import Probe, ProbeCall, Verb
from tests.support.actions import action

AT = datetime(2026, 7, 10, 15, 0, tzinfo=UTC)
ANA = Actor("slack:T0TEAM/U0ANA")
OMEN2 = node("omen2")


def step(name: str = "guard", state: StepState = StepState.AWAITING, verb: Verb = Verb.LABEL_NODE) -> PlanStep:
    made = action(
        name,
        verb=verb,
        params={"key": "nvidia.com/gpu.workload.config", "value": "container"},
        fingerprint={"metadata.labels[nvidia.com/gpu.workload.config]": "vm-passthrough"},
        diff="- vm-passthrough\n+ container",
        verify=ProbeCall(probe=Probe.OPERATOR_REACTED, params={"node": "omen2"}),
    )
    return PlanStep(action=made, digest="d" * 64, after=(), state=state)


def plan(name: str = "p1", incident: str = "inc1", *steps: PlanStep) -> Plan:
    return Plan(
        id=name,
        incident=incident,
        cluster="lab",
        runbook="kubelet-swap",
        root="kubelet-swap-on",
        subject=OMEN2,
        requester=ANA,
        created_at=AT,
        option="cuda",
        steps=steps or (step(),),
        state=PlanState.ACTIVE,
        dry=False,
    )


def entry(kind: str = "approved", incident: str = "inc1", **details: str) -> Entry:
    return Entry(type=kind, at=AT, actor=ANA, plan="p1", incident=incident, step="guard", details=details)


def change(before: Plan, to: StepState = StepState.INTENT, *entries: Entry, work: tuple[str, ...] = ()) -> Decision:
    steps = tuple(msgspec.structs.replace(one, state=to) for one in before.steps)
    after = msgspec.structs.replace(before, steps=steps)
    return Decision(plan=after, changed=True, reason="ok", entries=entries or (entry(to.value),), work=work)


def refusal(of: Plan) -> Decision:
    return Decision(plan=of, changed=False, refused=True, reason="no", entries=(entry("refused"),))
