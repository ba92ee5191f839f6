"""A small plan over a real Redis server and one node in memory: two labels in a row, made by hands that count."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from bot.adapters.files.runbooks import load_runbooks
from bot.adapters.redis.client import Keys, connect
from bot.adapters.redis.durability import Durability
from bot.adapters.redis.incidents import RedisIncidents
from bot.adapters.redis.journal import RedisJournal
from bot.app.incidents import opening
from bot.app.ports import Pages, Read
from bot.app.repair.together import Parts, Repairs
from bot.app.requests import Press, PressKind
from bot.app.threads import Threads
from bot.entry.tending import guarded
from bot.model.diagnosis import Diagnosis
from bot.model.hosttext import PodLog
from bot.model.incident import Incident, Place
from bot.model.refs import Ref, node
from bot.model.sections import NotInstalled, Unknown
from bot.remedy.decision import Decision, Entry, Policy
from bot.remedy.digest import digest_of
from bot.remedy.plan import BOT, Action, Actor, Plan, PlanState, PlanStep, StepState, Target
from bot.remedy.runbook import Probe, ProbeCall, Risk
from tests.app.repair.watched import KEY, Watched
from tests.support.actions import action
from tests.support.clusters import MemoryCluster
from tests.support.desk import PlainPresenter, SlackBoard, StubCluster, StubRecogniser, chains
from tests.support.redis import SetClock
from tests.support.repair import ANA, BEN, CAI, Approvers, CountingHands, Fuse, PlainCards, PlainOwners
from tests.support.things import node as node_object

OMEN2 = node("omen2")
READS = ("read", "known", "plans")
WRITES = ("commit", "note")
HANDS = ("frozen", "claim", "act", "observe")


class OneNode:
    """`Cluster`: a node whose labels the hands change."""

    name = "lab"

    def __init__(self) -> None:
        self.labels: dict[str, str] = {}
        self.unreadable: Unknown | NotInstalled | None = None
        self.is_gone = False
        self.others: list[dict[str, Any]] = []

    def read(self, reads: Sequence[Read]) -> tuple[Pages, ...]:
        answer = self.unreadable
        things = [] if self.is_gone else [node_object("omen2", labels=self.labels), *self.others]
        return MemoryCluster(*things, answer=lambda _: answer).read(reads)

    def pod_log(self, pod: Ref, container: str, *, previous: bool = False) -> PodLog | Unknown:
        raise AssertionError("no step reads logs")


def call(label: str, value: str = "on") -> ProbeCall:
    return ProbeCall(probe=Probe.LABEL_IS, params={"label": label, "value": value}, within=120)


def labelling(name: str, risk: Risk, before: Sequence[str], **more: Any) -> Action:
    """The action of a step that puts the label of its name on the node."""
    fields: dict[str, Any] = {
        "runbook": "tests",
        "target": Target(ref=OMEN2, uid="u1"),
        "params": {"label": name, "value": "on"},
        "risk": risk,
        "diff": f"+ {name}: on",
        "verify": call(name),
        "predecessors": tuple(before),
    }
    return action(name, **fields | more)


def steps_of(risk: Risk, undo: Action | None = None, **more: Any) -> tuple[PlanStep, ...]:
    first = labelling("first", risk, (), **more)
    digest = digest_of(first)
    second = labelling("second", risk, (digest,))
    return (
        PlanStep(action=first, digest=digest, after=(), state=StepState.PENDING, undo=undo),
        PlanStep(action=second, digest=digest_of(second), after=("first",), hazard="hazard-second-first"),
    )


class Small(Watched):
    """The world. `fuse` burns inside one executor's ports; other replicas are whole."""

    def __init__(
        self,
        url: str,
        *,
        policy: Policy | None = None,
        risk: Risk = Risk.REVERSIBLE,
        signs: tuple[str, ...] = (),
        alerts: tuple[str, ...] = (),
        **more: Any,
    ) -> None:
        self.clock = SetClock()
        self.world = SetClock(self.clock.now() + timedelta(days=7))
        self.client = connect(url)
        self.keys = Keys("lab")
        self.board = SlackBoard()
        self.cluster = OneNode()
        self.hands = CountingHands(
            on_effect=lambda done: self.cluster.labels.update({done.params["label"]: done.params["value"]})
        )
        self.policy = policy or Policy(mutations=True)
        self.authority = Approvers(ANA, BEN, CAI)
        self.incidents = RedisIncidents(self.client, self.keys)
        self.seen: Diagnosis = chains()
        self.investigator = StubCluster(["node/omen2"], lambda _: self.seen)
        self.numbers = itertools.count(1)
        self.start("one")
        self.journal.begin("begin", Entry(type="journal-begun", at=self.clock.now(), actor=BOT))
        self.incident = self._incident(alerts)
        self._create(steps_of(risk, **more), signs)

    def start(self, name: str) -> None:
        """A process starts: it remembers nothing that is not in Redis."""
        self.journal = RedisJournal(
            self.client, self.keys, self.clock, KEY, sink=lambda _: None, durability=Durability.BEST_EFFORT
        )
        self.repairs = self.replica(name)

    def replica(self, name: str, fuse: Fuse | None = None, *, names: Sequence[str] = (), **more: Any) -> Repairs:
        """Another process; with a fuse it ends at some call."""
        burning = fuse or Fuse()
        parts: dict[str, Any] = {
            "cluster": burning.guard(self.cluster, *names),
            "incidents": burning.guard(self.incidents, *names),
            "journal": burning.guard(self.journal, *names),
            "investigator": self.investigator,
            "recogniser": StubRecogniser(),
            "poster": burning.guard(self.board, *names),
            "presenter_of": lambda _: PlainPresenter(),
            "cards_of": lambda _: PlainCards(),
            "library": load_runbooks(),
            "authority": self.authority,
            "owners": PlainOwners(),
            "policy": self.policy,
            "clock": self.clock,
            "world": self.world,
            "new_id": lambda: f"{name}-{next(self.numbers)}",
            "name": name,
            "guard": guarded,
            "hands": burning.guard(self.hands, *names),
            "pause": timedelta(0),
            **more,
        }
        return Repairs(Parts(**parts))

    def _incident(self, alerts: tuple[str, ...]) -> Incident:
        fresh = opening(
            cluster="lab",
            request_id="r1",
            at=self.clock.now(),
            place=Place("C0GPU"),
            scope=(OMEN2,),
            keys=("kubelet-swap-on node/omen2",),
            source="group:1",
            alerts=alerts,
        )
        threads = Threads(
            incidents=self.incidents, poster=self.board, presenter_of=lambda _: PlainPresenter(), clock=self.clock
        )
        return threads.post_root(self.incidents.open(fresh), self.seen)

    def _create(self, steps: tuple[PlanStep, ...], signs: tuple[str, ...]) -> None:
        plan = Plan(
            id=f"{self.incident.id}-1",
            incident=self.incident.id,
            cluster="lab",
            runbook="tests",
            root="kubelet-swap-on",
            subject=OMEN2,
            requester=ANA,
            created_at=self.clock.now(),
            signs=signs,
            option="only",
            steps=steps,
            state=PlanState.ACTIVE,
            dry=False,
        )
        entry = Entry(type="plan-offered", at=self.clock.now(), actor=BOT, plan=plan.id, incident=plan.incident)
        before = self.journal.read(plan.id)
        decision = Decision(plan=plan, changed=True, reason="offered", entries=(entry,))
        assert self.journal.commit("offered", before, decision)
        self.repairs.sweeper.run_once()

    def plan(self) -> Plan:
        found = self.journal.read(f"{self.incident.id}-1").plan
        assert found is not None
        return found

    def states(self) -> list[str]:
        return [one.state.value for one in self.plan().steps]

    def press(self, kind: PressKind, who: Actor, step: str = "first", **more: Any) -> Press:
        plan = self.plan()
        digest = more.get("digest") or (plan.step(step).digest[:32] if step else "")
        fields = {"plan": plan.id, "step": step, **more, "digest": digest}
        return Press(
            id=f"press-{next(self.numbers)}",
            kind=kind,
            actor=who,
            place=Place("C0GPU", self.incident.place.thread),
            at=self.clock.now(),
            **fields,
        )

    def do(self, *presses: Press) -> None:
        for one in presses:
            self.repairs.desk.handle(one)

    def approve(self, who: Actor = BEN, step: str = "first", **more: Any) -> None:
        self.do(self.press(PressKind.APPROVE, who, step, **more))

    def run(self, repairs: Repairs | None = None) -> None:
        executor = (repairs or self.repairs).executor
        assert executor is not None
        executor.run_once()

    def refused_in_audit(self) -> list[str]:
        return [one["details.reason"] for one in self.journal.entries() if one["type"] == "refused"]
