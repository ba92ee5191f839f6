"""Scripted repairs of both incidents, for what is told of one: diagnosis, runbook, decisions and audit are real, people
and what the cluster answers are not.
"""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from bot.adapters.files.knowledge import load_knowledge, load_words
from bot.adapters.files.outputs import outputs_of
from bot.adapters.files.runbooks import Runbooks, load_runbooks
from bot.app.repair.ports import Prepared
from bot.checks import CHECKS
from bot.diagnose.diagnose import diagnose
from bot.model.diagnosis import Diagnosis
from bot.model.findings import Reporter
from bot.model.incident import Incident, Place, State
from bot.model.refs import Ref
from bot.model.report import MomentSource, Report
from bot.model.snapshot import Snapshot
from bot.narrate.postmortem import Story
from bot.narrate.report import report
from bot.remedy import planning
from bot.remedy.audit import AuditKey, Head, chain, record, sealed, verify
from bot.remedy.decide import decide
from bot.remedy.decision import Budget, Entry, Freeze, Policy
from bot.remedy.drafting import StepDraft
from bot.remedy.events import (
    Approved,
    Begun,
    Chosen,
    Dispatched,
    Effect,
    Event,
    LookResult,
    Outcome,
    Person,
    Proof,
    Reported,
    Verified,
)
from bot.remedy.owners import Owner, OwnerKind
from bot.remedy.plan import BOT, Actor, PlanState, PlanStep, StepState, Target
from bot.remedy.probes import PROBES, ProbeAnswer
from bot.remedy.runbook import Probe, Verb
from bot.remedy.spending import spent
from tests.support.pastes import ACTIVE, SWAPS_OFF
from tests.support.scenarios import FOLDER, snapshot_of

ONCALL, SECOND, OWNER = (Actor(f"slack:T0TEAM/U0{name}") for name in ("ONCALL", "SECOND", "OWNER"))
KEY = AuditKey(b"the audit key of the examples...")
_MAY = Person(may=True)
_POLICY = Policy(mutations=True)
_PASTES = {Probe.SWAP_OFF: SWAPS_OFF, Probe.KUBELET_ACTIVE: ACTIVE}

_ANSWERS = {
    Probe.OPERATOR_REACTED: "repair-operator-reacted",
    Probe.NODE_READY: "repair-node-ready",
    Probe.RESOURCE_OFFERED: "repair-offered-resource",
    Probe.VMS_SETTLED: "repair-vms-down-by-choice",
    Probe.ROLLED_OUT: "repair-rolled-out",
    Probe.CONFIG_IS: "repair-sees",
    Probe.NO_REPLACEMENT: "repair-no-replacement",
}


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """One run: what is asked, when, and what is chosen. `early` is a step that somebody presses too early."""

    scenario: str
    scope: Ref
    option: str
    at: datetime | None = None
    early: str = ""
    incident: str


SCRIPTS = {
    "kubelet-swap": Script(
        scenario="swap-kubelet",
        scope=Ref("vm", "gpu-fedora", "vms"),
        option="host-cuda",
        at=datetime.fromisoformat("2026-10-30T16:40:00Z"),
        early="host-off",
        incident="omen2-swap",
    ),
    "node-replacement-loop": Script(
        scenario="replacement-loop",
        scope=Ref("nodepool", "gpu"),
        option="without-gpu-monitor",
        incident="gpu-loop",
    ),
}


def story(name: str, lang: str = "en", *, replaced: int = 1) -> Story:
    """What is kept of a scripted repair, by the runbook's name; so many nodes are replaced after it."""
    script = SCRIPTS[name]
    with TemporaryDirectory() as scratch:
        snapshot = snapshot_of(FOLDER / script.scenario / "dump", script.at, (), Path(scratch))
        diagnosis = diagnose(snapshot, CHECKS, load_knowledge(), (script.scope,))
    books = load_runbooks()
    said = report(diagnosis, load_words(lang), cluster="lab", at_source=MomentSource.NEWEST, runbooks=books.names)
    run = _Run(script, diagnosis, books, said, replaced)
    run.play()
    return run.story()


class _Run:
    def __init__(self, script: Script, diagnosis: Diagnosis, books: Runbooks, said: Report, replaced: int) -> None:
        self.script = script
        self.replaced = replaced
        self.diagnosis = diagnosis
        self.said = said
        self.sha256 = hashlib.sha256(msgspec.json.encode(said)).hexdigest()
        root = diagnosis.roots[0].finding.key
        runbook = books.for_root(root[0])
        assert runbook is not None
        self.offered = planning.offer(diagnosis, root, runbook)
        self.now = diagnosis.at + timedelta(minutes=1)
        self.began = self.now
        self.entries: list[Entry] = []
        self.budget = Budget()
        self.plan = planning.skeleton(
            self.offered,
            plan_id=f"{script.incident}-1",
            incident=script.incident,
            cluster="lab",
            requester=ONCALL,
            at=self.now,
            dry=False,
        )

    def play(self) -> None:
        details = {"root": self.plan.root, "runbook": self.plan.runbook, "report": self.sha256}
        plan = self.plan
        self.entries.append(
            Entry(type="plan-offered", at=self.now, actor=ONCALL, plan=plan.id, incident=plan.incident, details=details)
        )
        self._happen(self._chosen())
        if self.script.early:
            early = self.plan.step(self.script.early)
            self._happen(Approved(**self._by(SECOND), person=_MAY, step=early.action.step, digest=early.digest))
        while self.plan.state is PlanState.ACTIVE:
            self._carry_out(next(one for one in self.plan.steps if one.state is StepState.AWAITING))

    def story(self) -> Story:
        links = chain(self.entries, Head(), KEY)
        lines = [one.line for one in links]
        incident = Incident(
            id=self.script.incident,
            cluster="lab",
            keys=(f"{self.plan.root} {self.plan.subject}",),
            opened_by="request-1",
            opened_at=self.began - timedelta(minutes=1),
            place=Place("C0GPU", "1.2"),
            state=State.MITIGATED if self.plan.leaves else State.RESOLVED,
            count=3,
        )
        return Story(
            incident=incident,
            plans=(self.plan,),
            entries=tuple(record(line) for line in lines),
            report=self.said,
            report_sha256=self.sha256,
            chain_holds=verify(lines, [KEY], sealed(links[-1].head, KEY)) is None,
        )

    def _chosen(self) -> Chosen:
        option = self.offered.option(self.script.option)
        owners = {ref: Owner(kind=OwnerKind.PLAIN) for ref in planning.owned(self.offered, option.id)}
        made = planning.drafts(self.offered, option.id, owners)
        steps = planning.build_steps(
            made,
            {one.id: _prepared(one) for one in made if one.is_mutation},
            runbook=self.offered.runbook,
            cluster="lab",
            nonce="n1",
        )
        return Chosen(
            **self._by(OWNER),
            person=_MAY,
            option=option.id,
            steps=steps,
            leaves=option.leaves,
            predicted=option.prediction.predicted,
            due=option.prediction.due,
        )

    def _carry_out(self, step: PlanStep) -> None:
        name, verb = step.action.step, step.action.verb
        if verb is Verb.HOST:
            seen = self._pasted(step)
            told = {"why": seen.why, "values": seen.values, "evidence": seen.evidence}
            self._happen(
                Reported(**self._by(OWNER), person=_MAY, voters_may=True, step=name, result=Proof.GOOD, **told)
            )
            return
        if verb is Verb.HAND_OVER:
            # Its owner makes the change; the bot sees it.
            self.now += timedelta(minutes=9)
        elif verb is not Verb.OBSERVE:
            self._happen(Approved(**self._by(SECOND), person=_MAY, step=name, digest=step.digest))
            lease = self.now + timedelta(minutes=1)
            self._happen(Begun(**self._by(BOT), step=name, owner="executor-1", lease_until=lease, voters_may=True))
            self._happen(Dispatched(**self._by(BOT), step=name, owner="executor-1", voters_may=True))
            self._happen(Outcome(**self._by(BOT), step=name, owner="executor-1", result=Effect.APPLIED))
        probe = step.action.verify.probe
        if probe is Probe.NO_REPLACEMENT:
            self.now += timedelta(minutes=50)
        values = {"subject": str(step.action.target.ref), **self._seen(probe)}
        self._happen(Verified(**self._by(BOT), step=name, result=LookResult.HOLDS, why=_ANSWERS[probe], values=values))

    def _seen(self, probe: Probe) -> dict[str, str]:
        return {
            Probe.NO_REPLACEMENT: {
                "quiet": "50m",
                "last": f"{self.now - timedelta(minutes=50):%Y-%m-%d %H:%M:%S} UTC",
                "count": str(self.replaced),
                "predicted": str(self.plan.predicted.get("last-replacements", "-")),
            },
            Probe.RESOURCE_OFFERED: {"seen": "1", "resource": "nvidia.com/gpu"},
            Probe.VMS_SETTLED: {"waiting": "vm/vms/gpu-fedora"},
            Probe.ROLLED_OUT: {"wanted": "1"},
            Probe.CONFIG_IS: {"field": "monitors.nvidia.enabled", "seen": "false"},
        }.get(probe, {})

    def _pasted(self, step: PlanStep) -> ProbeAnswer:
        call, ref = step.action.verify, step.action.target.ref
        outputs = outputs_of(_PASTES[call.probe], node=ref.name, reporter=Reporter("U0OWNER", self.now))
        answer = PROBES[call.probe](Snapshot(at=self.now, outputs=outputs), call, ref)
        assert answer.holds, answer.why
        return answer

    def _by(self, actor: Actor) -> dict[str, object]:
        return {"actor": actor, "at": self.now, "op_id": f"op-{len(self.entries)}"}

    def _happen(self, event: Event) -> None:
        before = self.plan
        decision = decide(before, event, self.now, freeze=Freeze(frozen=False), budget=self.budget, policy=_POLICY)
        self.budget = spent(self.budget, before, decision.plan, self.now)
        self.plan = decision.plan
        self.entries += decision.entries
        self.now += timedelta(seconds=40)


def _prepared(one: StepDraft) -> Prepared:
    return Prepared(target=Target(ref=one.target, uid=f"uid-{one.target.name}", select=one.select, cap=one.cap))
