"""The replacement loop on a real control plane with the real Karpenter, and a bot that repairs it.

Nothing here knows what the repair is. The monitor reads the objects that it reads in life; Karpenter is restarted with
the gates that its Deployment has; people press what the bot's plan shows.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from bot.adapters.clock import WallClock
from bot.adapters.files.documents import documents
from bot.adapters.files.knowledge import load_words
from bot.adapters.files.runbooks import load_runbooks, runbook_names
from bot.adapters.kubernetes.cluster import LiveCluster
from bot.adapters.kubernetes.hands import KubernetesHands
from bot.adapters.redis.client import Keys, connect
from bot.adapters.redis.durability import Durability
from bot.adapters.redis.incidents import RedisIncidents
from bot.adapters.redis.journal import RedisJournal
from bot.app.requests import Ask, Press, PressKind
from bot.entry.cards import Cards
from bot.entry.presenter import Presenter
from bot.entry.wiring.desk import DeskParts, RepairParts, build_use_cases
from bot.model.incident import Place
from bot.playground.physics.api import NODES, PODS, Api
from bot.playground.physics.monitor import CONDITION, NodeMonitor
from bot.playground.physics.world import Physics, WorldClock
from bot.remedy.audit import AuditKey, verify
from bot.remedy.decision import QUORUM, Entry, Policy
from bot.remedy.plan import BOT, Actor, Plan, PlanStep, StepState
from bot.remedy.runbook import Risk
from tests.app.desk import CHANNEL, alert, group
from tests.support.controlplane import ADMIN, ControlPlane
from tests.support.desk import SlackBoard
from tests.support.karpenter import SPEEDUP, Karpenter
from tests.support.kubeapi import Json, KubeApi
from tests.support.loop_objects import KARPENTER, deployed, gates_of
from tests.support.repair import ANA, BEN, CAI, Approvers

#: Of Karpenter here, and what the bot is told of it.
TOLERATION = timedelta(minutes=10) / SPEEDUP
POLICIES = f"""
[aws]
policy = [
    {{ condition = "Ready", status = "False", minutes = {30 / SPEEDUP} }},
    {{ condition = "Ready", status = "Unknown", minutes = {30 / SPEEDUP} }},
    {{ condition = "{CONDITION}", status = "False", minutes = {10 / SPEEDUP} }},
]
"""
#: What the monitor gives DCGM to come up: it marks a node this long after its birth.
_GRACE = timedelta(seconds=1)
_KEY = b"an audit key for tests, 32 bytes"


class PodCollector:
    """Deletes the pods of nodes that are gone: the real one waits a minute, in which here three nodes come and go."""

    def step(self, api: Api, _now: datetime) -> None:
        """One round."""
        there = {one["metadata"]["name"] for one in api.list(NODES)}
        for pod in api.list(PODS):
            if pod["spec"].get("nodeName", "") not in {"", *there}:
                meta = pod["metadata"]
                api.delete(f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}", at_once=True)


class Replacing:
    """One cluster in its loop, and the bot."""

    def __init__(
        self, plane: ControlPlane, karpenter: Karpenter, api: KubeApi, redis_url: str, knowledge: Path
    ) -> None:
        self.api = api
        self.board = SlackBoard()
        self.born: dict[str, datetime] = {}
        self.gates = ""
        self._karpenter = karpenter
        self._clock = WallClock()
        self._numbers = itertools.count(1)
        self._alerted: set[str] = set()
        config = plane.kubeconfig(ADMIN)
        self.physics = Api(yaml.safe_load(config.read_text()))
        self._cluster = LiveCluster.connect(config, name="real")
        self._hands = KubernetesHands.connect(config)
        self._redis, keys = connect(redis_url), Keys("real")
        self.incidents = RedisIncidents(self._redis, keys)
        self.journal = RedisJournal(
            self._redis, keys, self._clock, _KEY, sink=lambda _: None, durability=Durability.BEST_EFFORT
        )
        self.journal.begin("begin", Entry(type="journal-begun", at=self._clock.now(), actor=BOT))
        # A restart takes two people here, so that a generation can come and go between their presses.
        policy = Policy(mutations=True, quorum={**QUORUM, Risk.DISRUPTIVE: 2})
        words, library = load_words("en"), load_runbooks()
        cards = Cards(words, "real", policy, library)
        presenter = Presenter(words, "real", runbook_names())
        use_cases = build_use_cases(
            DeskParts(
                cluster=self._cluster,
                redis=self._redis,
                keys=keys,
                world=self._clock,
                wall=self._clock,
                poster=self.board,
                presenter_of=lambda _: presenter,
                pastes_kept=timedelta(hours=1),
                knowledge=knowledge,
                repair=RepairParts(
                    journal=self.journal,
                    policy=policy,
                    authority=Approvers(ANA, BEN, CAI),
                    library=library,
                    cards_of=lambda _: cards,
                    hands=self._hands,
                    configmaps=self._hands.configmaps,
                ),
            )
        )
        assert use_cases.repairs is not None
        self.desk, self._repairs = use_cases.desk, use_cases.repairs

    def close(self) -> None:
        """Close every connection."""
        self._hands.close()
        self._cluster.close()
        self._redis.close()

    def play_until(self, what: str, happened: Callable[[], bool], seconds: float) -> None:
        """Let everything go on until this has happened: the bot's executor, Karpenter's Deployment, Alertmanager.

        Raises:
            AssertionError: it did not happen in this time.
        """
        ends = time.monotonic() + seconds
        while not happened():
            assert time.monotonic() < ends, f"not within {seconds:g} s: {what}; {self.standing()}"
            self._turn()
            time.sleep(0.3)

    def _turn(self) -> None:
        self._follow_deployment()
        for one in self.api.items("karpenter.sh", "v1", "nodeclaims"):
            self.born.setdefault(one["metadata"]["name"], datetime.now(UTC))
        for node in self.marked():
            if node not in self._alerted:
                self._alerted.add(node)
                number = next(self._numbers)
                self.desk.handle(group(f"alert-{number}", alert(node, self._clock.now()), key=node))
        executor = self._repairs.executor
        assert executor is not None
        executor.run_once()
        self._repairs.sweeper.run_once()

    def _follow_deployment(self) -> None:
        """What a rollout of Karpenter's Deployment does: the program ends, and starts with what stands there now.

        kwok is started anew with it, and would leave the nodes alone until the Leases of the one before are over.
        """
        gates = gates_of(self.api.get(KARPENTER))
        if gates != self.gates:
            self._karpenter.stop()
            self.api.http.delete("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases")
            self._karpenter.start(gates)
            self.gates = gates

    def marked(self) -> list[str]:
        """Nodes of the pool that the monitor calls unready."""
        return [one["metadata"]["name"] for one in self._nodes() if _mark(one) == "False"]

    def freshly_marked(self) -> bool:
        """Whether the pool's only node has just been marked, and no machine is on its way out."""
        claims = list(self.api.items("karpenter.sh", "v1", "nodeclaims"))
        nodes = self._nodes()
        going = [one for one in (*claims, *nodes) if one["metadata"].get("deletionTimestamp")]
        turned = [_turned(one) for one in nodes if _mark(one) == "False"]
        is_fresh = [one for one in turned if datetime.now(UTC) - one < TOLERATION / 4]
        return len(nodes) == len(claims) == len(is_fresh) == 1 and not going

    def _nodes(self) -> list[Json]:
        nodes = self.api.items("", "v1", "nodes")
        return [one for one in nodes if "karpenter.sh/nodepool" in (one["metadata"].get("labels") or {})]

    def replaced(self, since: datetime | None = None) -> int:
        """How many machines are new, after the first one; since then."""
        return sum(1 for at in sorted(self.born.values())[1:] if since is None or at >= since)

    def plan(self) -> Plan:
        """The newest plan."""
        plans = [plan for one in self.incidents.all_open() for plan in self.journal.plans(incident=one.id)]
        return max(plans, key=lambda one: (one.created_at, one.id))

    def is_offered(self) -> bool:
        """Whether there is a plan."""
        return any(self.journal.plans(incident=one.id) for one in self.incidents.all_open())

    def ask(self, words: str) -> None:
        """A person asks in the incident's thread."""
        self.desk.handle(Ask(id=f"ask-{next(self._numbers)}", words=words, place=self._thread(), user="U0ANA"))

    def press(self, kind: PressKind, who: Actor, plan: Plan, **fields: Any) -> None:
        """A person presses."""
        press = Press(
            id=f"press-{next(self._numbers)}",
            kind=kind,
            actor=who,
            place=self._thread(),
            at=self._clock.now(),
            plan=plan.id,
            **fields,
        )
        self.desk.handle(press)

    def _thread(self) -> Place:
        return Place(CHANNEL, self.incidents.all_open()[0].place.thread)

    def choose(self, option: str) -> Plan:
        """Choose an option of the newest plan."""
        self.press(PressKind.CHOOSE, ANA, self.plan(), option=option)
        return self.plan()

    def approve(self, plan: Plan, name: str, *people: Actor) -> None:
        """These approve this step as this plan shows it, one after the other, until it takes no more approvals."""
        for who in people or (BEN, CAI):
            if self.now(plan).step(name).state is StepState.AWAITING:
                self.press(PressKind.APPROVE, who, plan, step=name, digest=plan.step(name).digest[:32])

    def until_step(self, plan: Plan, name: str, state: StepState, seconds: float) -> PlanStep:
        """Play until this step of the plan is in this state."""
        self.play_until(f"{name} is {state}", lambda: self.now(plan).step(name).state is state, seconds)
        return self.now(plan).step(name)

    def until_over(self, plan: Plan, seconds: float) -> Plan:
        """Play until nothing more happens to the plan by itself or by a press."""
        self.play_until("the plan is over", lambda: self.now(plan).state.value not in ("choosing", "active"), seconds)
        return self.now(plan)

    def now(self, plan: Plan) -> Plan:
        """The plan as it is now."""
        found = self.journal.read(plan.id).plan
        assert found is not None
        return found

    def last_card(self, key: str) -> str:
        """The newest message of a plan that is known by this key."""
        told = [(one.ts, at) for incident in self.incidents.all_open() for at, one in incident.told.items()]
        ts = max(ts for ts, at in told if at.endswith(f"/{key}"))
        return next(one.text for one in self.board.posts if one.ts == ts)

    def standing(self) -> str:
        """Where everything stands, for who looks for a fault."""
        plans = self.journal.plans() if self.is_offered() else ()
        steps = [f"{one.action.step} {one.state} {one.why} {dict(one.values)}" for plan in plans for one in plan.steps]
        return f"born {list(self.born)}, marked {self.marked()}, {steps}, {self.board.posts[-1:]}"

    def audit_holds(self) -> bool:
        """Whether the audit's chain holds."""
        lines, head = self.journal.audit()
        return verify(lines, [AuditKey(_KEY)], head) is None


def _mark(node: Json) -> str:
    return next((str(one["status"]) for one in node["status"].get("conditions") or () if one["type"] == CONDITION), "")


def _turned(node: Json) -> datetime:
    conditions = node["status"].get("conditions") or ()
    return datetime.fromisoformat(next(one["lastTransitionTime"] for one in conditions if one["type"] == CONDITION))


@contextmanager
def replacing(
    plane: ControlPlane, folder: Path, scratch: Path, redis_url: str, things: list[Json]
) -> Iterator[Replacing]:
    """A cluster with this agent, whose every GPU node is marked and replaced, until the block is left."""
    (scratch / "knowledge").mkdir(parents=True)
    (scratch / "knowledge" / "policies.toml").write_text(POLICIES)
    with ExitStack() as stack:
        api = stack.enter_context(plane.api())
        api.add_namespace()
        api.load([*things, *deployed()], collected=True)
        karpenter = Karpenter(folder, plane.kubeconfig(ADMIN), scratch / "work")
        stack.callback(karpenter.stop)
        world = stack.enter_context(closing(Replacing(plane, karpenter, api, redis_url, scratch / "knowledge")))
        world.play_until("Karpenter runs", lambda: bool(world.gates), 30)
        api.load([one.item for one in documents(folder / "example.yaml") if one.item], collected=True)
        clock = WorldClock(datetime.now(UTC), 1.0, time.monotonic)
        physics = Physics(world.physics, clock, (NodeMonitor(_GRACE), PodCollector()), pause=0.5)
        physics.start()
        stack.callback(physics.stop)
        yield world
