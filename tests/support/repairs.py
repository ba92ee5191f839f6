"""Small plans and the events that happen to them, everything in order unless said otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from bot.adapters.files.knowledge import load_words
from bot.knowledge.blanks import blanks
from bot.model.findings import Evidence, Reporter
from bot.model.refs import node
from bot.remedy.decide import decide
from bot.remedy.decision import Budget, Decision, Freeze, Policy
from bot.remedy.digest import digest_of
from bot.remedy.events import (
    Aborted,
    Adopted,
    Approved,
    Begun,
    BrokeGlass,
    Chosen,
    Denied,
    Dispatched,
    Effect,
    Event,
    Gone,
    LookResult,
    Outcome,
    Person,
    Proof,
    Reported,
    Resolution,
    Resolved,
    Superseded,
    TakenBack,
    Ticked,
    Verified,
)
from bot.remedy.plan import BOT, Actor, Identity, Plan, PlanState, PlanStep
from bot.remedy.probes import ProbeAnswer
from bot.remedy.runbook import Probe, ProbeCall, Risk, Verb
from tests.support.actions import action

AT = datetime(2026, 10, 30, 15, 40, tzinfo=UTC)
ANN, BEN, CLEO = (Actor(f"slack:T0TEAM/U0{name}") for name in ("ANN", "BEN", "CLEO"))
MAY = Person(may=True)
POLICY = Policy(mutations=True)
SOLO = Policy(mutations=True, solo=True)
#: Who everybody is: people of one account each.
KNOWN = {one.id: Identity() for one in (ANN, BEN, CLEO)}
THAWED = Freeze(frozen=False)
FROZEN = Freeze(frozen=True, why="somebody said so", by=ANN, since=AT)
SEEN = (Evidence(source="host:/proc/swaps", object=node("omen2"), quote="Filename", reporter=Reporter("U0ANN", AT)),)
OWNER = "executor-1"


def later(**delta: float) -> datetime:
    return AT + timedelta(**delta)


def step(
    name: str = "guard",
    *before: PlanStep,
    verb: Verb = Verb.LABEL_NODE,
    risk: Risk = Risk.REVERSIBLE,
    probe: Probe | None = None,
    hazard: str = "",
    **more: Any,
) -> PlanStep:
    """A step after the others; a host's is seen in a paste only, any other in the cluster."""
    probe = probe or (Probe.SWAP_OFF if verb is Verb.HOST else Probe.LABEL_IS)
    made = action(
        name,
        verb=verb,
        params={"label": "mode", "value": "container"},
        risk=risk,
        fingerprint={"metadata.labels[mode]": "vm-passthrough"},
        diff="mode: vm-passthrough -> container",
        verify=ProbeCall(probe=probe, params={"label": "mode"}),
        predecessors=tuple(one.digest for one in before),
        nonce="n1",
        **more,
    )
    after = tuple(one.action.step for one in before)
    return PlanStep(action=made, digest=digest_of(made), after=after, hazard=hazard)


def choosing(**changes: Any) -> Plan:
    """A plan that waits for its option; its requester is ANN."""
    fields: dict[str, Any] = {
        "id": "plan-1",
        "incident": "inc-1",
        "cluster": "lab",
        "runbook": "kubelet-swap",
        "root": "kubelet-swap-on",
        "subject": node("omen2"),
        "requester": ANN,
        "created_at": AT,
        "dry": False,
    }
    return Plan(**{**fields, **changes})


def active(*steps: PlanStep, **changes: Any) -> Plan:
    """The plan as it is once these steps were chosen."""
    chosen = decided(choosing(**changes), choose(*steps))
    assert not chosen.refused, chosen.reason
    assert chosen.plan.state is PlanState.ACTIVE
    return chosen.plan


def with_step(plan: Plan, name: str = "guard", **changes: Any) -> Plan:
    """The plan with fields of one step set by hand."""
    steps = tuple(msgspec.structs.replace(one, **changes) if one.action.step == name else one for one in plan.steps)
    return msgspec.structs.replace(plan, steps=steps)


def decided(
    plan: Plan,
    event: Event,
    now: datetime = AT,
    *,
    freeze: Freeze = THAWED,
    budget: Budget | None = None,
    policy: Policy = POLICY,
) -> Decision:
    return decide(plan, event, now, freeze=freeze, budget=budget or Budget(), policy=policy)


def played(plan: Plan, *events: Event, now: datetime = AT, policy: Policy = POLICY) -> Plan:
    """The plan after events that must all count."""
    for event in events:
        decision = decided(plan, event, now, policy=policy)
        assert not decision.refused, (decision.reason, decision.values)
        plan = decision.plan
    return plan


def _event(kind: type[Any], actor: Actor, **fields: Any) -> Any:
    return kind(actor=actor, at=AT, op_id="op", **fields)


def choose(*steps: PlanStep, by: Actor = ANN, option: str = "host-cuda", **more: Any) -> Chosen:
    event: Chosen = _event(Chosen, by, **{"person": MAY, "option": option, "steps": steps, **more})
    return event


def approve(plan: Plan, by: Actor, name: str = "guard", **more: Any) -> Approved:
    event: Approved = _event(Approved, by, **{**_about(plan, name), **more})
    return event


def deny(plan: Plan, by: Actor, name: str = "guard", **more: Any) -> Denied:
    event: Denied = _event(Denied, by, **{**_about(plan, name), "reason": "not now", **more})
    return event


def break_glass(plan: Plan, by: Actor, name: str = "guard", **more: Any) -> BrokeGlass:
    event: BrokeGlass = _event(BrokeGlass, by, **{**_about(plan, name), "reason": "alone at night", **more})
    return event


def _about(plan: Plan, name: str) -> Mapping[str, Any]:
    return {"person": MAY, "step": name, "digest": plan.step(name).digest}


def begin(name: str = "guard", owner: str = OWNER, **more: Any) -> Begun:
    fields = {"step": name, "owner": owner, "lease_until": later(minutes=1), "voters_may": True, "known": KNOWN}
    event: Begun = _event(Begun, BOT, **{**fields, **more})
    return event


def dispatch(name: str = "guard", owner: str = OWNER, **more: Any) -> Dispatched:
    fields = {"step": name, "owner": owner, "voters_may": True, "known": KNOWN, **more}
    event: Dispatched = _event(Dispatched, BOT, **fields)
    return event


def outcome(result: str, name: str = "guard", owner: str = OWNER, **more: Any) -> Outcome:
    event: Outcome = _event(Outcome, BOT, step=name, owner=owner, result=Effect(result), **more)
    return event


def verify(result: str, name: str = "guard", **more: Any) -> Verified:
    event: Verified = _event(Verified, BOT, **{"step": name, "result": LookResult(result), "evidence": SEEN, **more})
    return event


def report(result: str, by: Actor = ANN, name: str = "guard", **more: Any) -> Reported:
    evidence = SEEN if result == "good" else ()
    fields = {"person": MAY, "voters_may": True, "step": name, "result": Proof(result), "evidence": evidence}
    event: Reported = _event(Reported, by, **{**fields, **more})
    return event


def adopt(name: str = "guard", owner: str = "executor-2", **more: Any) -> Adopted:
    event: Adopted = _event(Adopted, BOT, **{"step": name, "owner": owner, "lease_until": later(hours=1), **more})
    return event


def resolve(result: str, by: Actor = ANN, name: str = "guard", **more: Any) -> Resolved:
    fields = {"person": MAY, "step": name, "result": Resolution(result), "reason": "looked at the node"}
    event: Resolved = _event(Resolved, by, **{**fields, **more})
    return event


def abort(by: Actor = ANN, **more: Any) -> Aborted:
    event: Aborted = _event(Aborted, by, **{"person": MAY, "reason": "not needed", **more})
    return event


def supersede(by: str = "kubelet-swap-on") -> Superseded:
    event: Superseded = _event(Superseded, BOT, by=by)
    return event


def take_back(name: str = "guard", by: str = "plan-2") -> TakenBack:
    event: TakenBack = _event(TakenBack, BOT, step=name, by=by)
    return event


def vanish(name: str = "guard") -> Gone:
    event: Gone = _event(Gone, BOT, step=name)
    return event


def tick() -> Ticked:
    event: Ticked = _event(Ticked, BOT)
    return event


def running(plan: Plan, name: str = "guard", *, by: Actor = BEN) -> Plan:
    """The plan with the step sent and applied."""
    return played(plan, approve(plan, by, name), begin(name), dispatch(name), outcome("applied", name))


def worded(answer: ProbeAnswer) -> ProbeAnswer:
    """The answer, whose reason has words and all that they need."""
    assert blanks(load_words("en").reason(answer.why)) <= answer.values.keys()
    return answer


def approved(**changes: object) -> Plan:
    """A plan of one step that one person has approved."""
    plan = active(step(), **changes)
    return played(plan, approve(plan, BEN))
