"""Repair over a real Redis server and a simulated cluster: the dump of an outage, its runbook, its people."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from bot.adapters.files.knowledge import load_knowledge
from bot.adapters.files.paste import PasteRecogniser
from bot.adapters.files.runbooks import load_runbooks
from bot.adapters.redis.client import Keys, connect
from bot.adapters.redis.durability import Durability
from bot.adapters.redis.incidents import RedisIncidents
from bot.adapters.redis.journal import RedisJournal
from bot.adapters.redis.pastes import RedisPastes
from bot.app.desk import Desk
from bot.app.investigate import Investigator
from bot.app.ports import Cluster, Read
from bot.app.repair.ports import Cards, Hands, Library
from bot.app.repair.together import Parts, Repairs
from bot.app.requests import Ask, Paste, Press, PressKind
from bot.checks import CHECKS
from bot.entry.tending import guarded
from bot.model.incident import Incident, Place
from bot.model.objects import KubeObject
from bot.model.sections import Section
from bot.model.snapshot import RepairPolicy, known
from bot.remedy.decision import Entry, Policy
from bot.remedy.plan import BOT, Actor, Plan, PlanStep
from tests.app.desk import alert, group
from tests.app.repair.watched import KEY, Watched
from tests.support import worldtime
from tests.support.desk import PlainPresenter, SlackBoard
from tests.support.kubeapi import KubeApi
from tests.support.redis import SetClock
from tests.support.repair import ANA, BEN, CAI, Approvers, CountingHands, PlainCards, PlainOwners
from tests.support.servers import Simulated

ROOT = Path(__file__).parents[3]
_LOG = ROOT / "tests/scenarios/swap-kubelet/dump/journal/omen2_kubelet.log"
JOURNAL = f"root@omen2:~# journalctl -u kubelet -b -n 50\n{_LOG.read_text()}"
LIBRARY, KNOWLEDGE = load_runbooks(), load_knowledge()


class RepairWorld(Watched):
    """A bot with repair. `clock` is decision time and world time in one, unless a test gives another world."""

    repair_policies: Sequence[RepairPolicy] = ()
    library: Library = LIBRARY

    def __init__(
        self,
        url: str,
        cluster: Cluster,
        *,
        hands: Hands | None,
        policy: Policy,
        world: SetClock,
        name: str = "one",
        cards: Cards | None = None,
    ) -> None:
        self.client = connect(url)
        self.keys = Keys("lab")
        self.clock = world
        self.board = SlackBoard()
        self.hands = hands
        self.cluster = cluster
        self.policy = policy
        self.cards = cards or PlainCards()
        self.authority = Approvers(ANA, BEN, CAI)
        self.owners = PlainOwners()
        self.numbers = itertools.count(1)
        self.recogniser = PasteRecogniser(lambda: frozenset({"omen", "omen1", "omen2", "omen3"}))
        self.start(name)
        self.journal.begin("begin", Entry(type="journal-begun", at=self.clock.now(), actor=BOT))

    def start(self, name: str) -> None:
        """A process of the bot starts: it remembers nothing that is not in Redis."""
        self.journal = RedisJournal(
            self.client, self.keys, self.clock, KEY, sink=lambda _: None, durability=Durability.BEST_EFFORT
        )
        self.incidents = RedisIncidents(self.client, self.keys)
        self.pastes = RedisPastes(self.client, self.keys, self.clock, timedelta(hours=24))
        self.investigator = Investigator(
            cluster=self.cluster,
            hosts=self.pastes,
            clock=self.clock,
            checks=CHECKS,
            knowledge=KNOWLEDGE,
            repair_policies=self.repair_policies,
        )
        self.repairs = self.replica(name)
        self.desk = Desk(
            cluster=self.cluster.name,
            clock=self.clock,
            incidents=self.incidents,
            investigator=self.investigator,
            pastes=self.pastes,
            poster=self.board,
            presenter_of=lambda _: PlainPresenter(),
            recogniser=self.recogniser,
            waiting=RedisPastes(self.client, self.keys, self.clock, timedelta(hours=24), "waiting"),
            repair=self.repairs.desk,
        )

    def replica(self, name: str, **changes: object) -> Repairs:
        """Another process of the same bot."""
        parts: dict[str, object] = {
            "cluster": self.cluster,
            "incidents": self.incidents,
            "journal": self.journal,
            "investigator": self.investigator,
            "recogniser": self.recogniser,
            "poster": self.board,
            "presenter_of": lambda _: PlainPresenter(),
            "cards_of": lambda _: self.cards,
            "library": self.library,
            "authority": self.authority,
            "owners": self.owners,
            "policy": self.policy,
            "clock": self.clock,
            "world": self.clock,
            "new_id": lambda: f"{name}-{next(self.numbers)}",
            "name": name,
            "guard": guarded,
            "hands": self.hands,
            "configmaps": None,
            "repair_policies": self.repair_policies,
            "pause": timedelta(0),
            **changes,
        }
        return Repairs(Parts(**parts))  # type: ignore[arg-type]

    def objects(self, section: Section) -> tuple[KubeObject, ...]:
        (pages,) = self.cluster.read((Read(section=section),))
        return known(pages.objects)

    def fire(self, node: str = "omen2") -> Incident:
        """Alertmanager fires; the bot answers."""
        self.desk.handle(group("r1", alert(node, self.clock.now())))
        (incident,) = self.incidents.all_open()
        return incident

    def paste(self, text: str) -> None:
        """A person pastes into the incident's thread."""
        (incident,) = self.incidents.all_open()
        place = Place(incident.place.channel, incident.place.thread)
        self.desk.handle(
            Paste(id=f"paste-{next(self.numbers)}", text=text, place=place, user="U0ANA", at=self.clock.now())
        )

    def ask(self) -> None:
        """A person asks again in the incident's thread."""
        incident = self.incidents.by_id(self.plan().incident)
        assert incident is not None
        ask = Ask(id=f"ask-{next(self.numbers)}", words="node omen2", place=incident.place, user="U0ANA")
        self.desk.handle(ask)

    def press(self, kind: PressKind, who: Actor, step: str = "", **more: str) -> Press:
        """A person presses a button of the newest plan; the press is handled and returned."""
        plan = self.plan()
        digest = next((one.digest[:32] for one in plan.steps if one.action.step == step), "")
        fields = {"plan": plan.id, "step": step, "digest": digest, **more}
        press = Press(
            id=f"press-{next(self.numbers)}",
            kind=kind,
            actor=who,
            place=Place("C0GPU", "1000.0"),
            at=self.clock.now(),
            **fields,
        )
        self.desk.handle(press)
        return press

    def choose(self, option: str, who: Actor = ANA) -> Plan:
        self.press(PressKind.CHOOSE, who, option=option)
        return self.plan()

    def approve(self, step: str, who: Actor = BEN) -> None:
        self.press(PressKind.APPROVE, who, step)

    def report(self, step: str, text: str, who: Actor = ANA) -> None:
        self.press(PressKind.REPORT, who, step, text=text)

    def run(self, rounds: int = 3, seconds: float = 1.0) -> None:
        """Let the executor and the sweeper work while a little time passes."""
        for _ in range(rounds):
            if self.repairs.executor is not None:
                self.repairs.executor.run_once()
            else:
                self.repairs.verifier.run_once()
            self.repairs.sweeper.run_once()
            self.clock.pass_by(timedelta(seconds=seconds))

    def plan(self) -> Plan:
        """The newest plan."""
        incidents = {one.incident for one in self.journal.plans()} | {one.id for one in self.incidents.all_open()}
        plans = [plan for one in incidents for plan in self.journal.plans(incident=one)]
        return max(plans, key=lambda one: (one.created_at, one.id))

    def step(self, name: str) -> PlanStep:
        return self.plan().step(name)

    def states(self) -> dict[str, str]:
        return {one.action.step: one.state.value for one in self.plan().steps}


class DumpWorld(RepairWorld):
    """The outage of a dump on the simulated cluster, at the dump's newest moment; `api` changes that cluster."""

    def __init__(self, url: str, simulated: Simulated, dump: Path, *, policy: Policy, mutations: bool = True) -> None:
        things = worldtime.objects(dump)
        simulated.server.load(things)
        self.api: KubeApi = simulated.api()
        self.api.add_namespace()
        hands = simulated.hands() if mutations else None
        world = SetClock(worldtime.newest(things))
        super().__init__(url, simulated.cluster(), hands=hands, policy=policy, world=world)


def counting(world: RepairWorld) -> CountingHands:
    """The world's hands, where they count."""
    assert isinstance(world.hands, CountingHands)
    return world.hands
