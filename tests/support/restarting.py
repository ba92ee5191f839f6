"""One approved step that restarts a DaemonSet, and executors for it, each with clients of its own.

Whoever restarts it a second time in another way makes another generation: two effects show in the object itself.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import msgspec

from bot.adapters.redis.client import Keys, connect
from bot.adapters.redis.durability import Durability
from bot.adapters.redis.journal import RedisJournal
from bot.app.ports import Clock, Cluster
from bot.app.repair.deciding import Decider
from bot.app.repair.executor import Executor
from bot.app.repair.observing import Observer
from bot.app.repair.one_by_one import OneByOne
from bot.app.repair.ports import Hands, Journal, Prepared
from bot.app.repair.roots_gone import Roots
from bot.app.repair.sending import Sender
from bot.app.repair.verifying import Verifier
from bot.entry.tending import guarded
from bot.remedy.decision import Budget, Decision, Entry, Policy
from bot.remedy.digest import digest_of, exec_id_of
from bot.remedy.plan import BOT, Plan, PlanState, PlanStep, StepState, Vote
from bot.remedy.runbook import Probe, ProbeCall, Verb
from tests.support.repair import ANA, BEN, CAI, Approvers
from tests.support.steps import action, draft
from tests.support.things import node, workload

AGENT, WITNESS = workload("DaemonSet", "agent"), node("n1", labels={"seen": "yes"})
RESTART = draft(Verb.ROLLOUT_RESTART, "ds/default/agent")
#: Of the node, which says so from the beginning.
SEEN = ProbeCall(probe=Probe.LABEL_IS, params={"node": "n1", "label": "seen", "value": "yes"})
#: Many steps an hour.
_LIMITS = Budget(per_hour=1000)


class Silent:
    """Tells nobody anything."""

    def try_to_catch_up(self, _plan: str) -> None:
        pass

    def shows(self, *_: Any) -> bool:
        return True

    def held(self, *_: Any) -> None:
        pass

    def shared(self, *_: Any) -> str:
        return ""


def journal_of(url: str, cluster: str, clock: Clock) -> RedisJournal:
    """A process's journal, begun if there is none."""
    journal = RedisJournal(
        connect(url),
        Keys(cluster),
        clock,
        b"an audit key for tests, 32 bytes",
        sink=lambda _: None,
        durability=Durability.BEST_EFFORT,
        limits=_LIMITS,
    )
    journal.begin("begin", Entry(type="journal-begun", at=clock.now(), actor=BOT))
    return journal


def executor_of(journal: Journal, cluster: Cluster, hands: Hands, clock: Clock, name: str) -> Executor:
    """A process that carries out what is approved."""
    decider, observer = Decider(journal, Policy(mutations=True), clock), Observer(cluster, clock)
    teller: Any = Silent()
    verifier = Verifier(
        journal=journal,
        decider=decider,
        observer=observer,
        teller=teller,
        one_by_one=OneByOne(clock, guarded),
        clock=clock,
        world=clock,
        pause=timedelta(0),
    )
    authority = Approvers(ANA, BEN, CAI)
    sender = Sender(
        journal=journal,
        decider=decider,
        hands=hands,
        authority=authority,
        observer=observer,
        roots=Roots(teller, teller),
        teller=teller,
        clock=clock,
        world=clock,
    )
    return Executor(
        journal=journal,
        decider=decider,
        hands=hands,
        authority=authority,
        sender=sender,
        observer=observer,
        verifier=verifier,
        teller=teller,
        one_by_one=OneByOne(clock, guarded),
        clock=clock,
        name=name,
    )


def approved(name: str, bound: Prepared, now: datetime) -> Plan:
    """A plan whose only step is approved."""
    made = msgspec.structs.replace(action(RESTART, bound), verify=SEEN, nonce=name)
    digest = digest_of(made)
    vote = Vote(actor=BEN, approve=True, digest=digest, at=now)
    until = now + timedelta(minutes=5)
    step = PlanStep(action=made, digest=digest, after=(), state=StepState.APPROVED, votes=(vote,), expires_at=until)
    return Plan(
        id=name,
        incident="race",
        cluster="lab",
        runbook="tests",
        root="tests",
        subject=RESTART.target,
        requester=ANA,
        created_at=now,
        option="only",
        steps=(step,),
        state=PlanState.ACTIVE,
        dry=False,
    )


def offer(journal: Journal, plan: Plan) -> str:
    """Write the plan; returns the exec id of its step."""
    entry = Entry(type="plan-offered", at=plan.created_at, actor=BOT, plan=plan.id, incident=plan.incident)
    decision = Decision(plan=plan, changed=True, reason="offered", entries=(entry,))
    assert journal.commit(f"{plan.id}/offered", journal.read(plan.id), decision)
    return exec_id_of(plan.id, "only", plan.steps[0].digest)
