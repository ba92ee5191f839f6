"""Repair from the click in the fake Slack to the hands, as it is put together for production: a real Redis between."""

from __future__ import annotations

import itertools
import json
from datetime import timedelta
from typing import Any

from bot.adapters.files.runbooks import load_runbooks
from bot.adapters.redis.client import Keys, connect
from bot.adapters.redis.durability import Durability
from bot.adapters.redis.incidents import RedisIncidents
from bot.adapters.redis.journal import RedisJournal
from bot.adapters.redis.pastes import RedisPastes
from bot.adapters.redis.reports import RedisReports
from bot.app.desk import Desk
from bot.app.incidents import opening
from bot.app.repair.fronts import Fronts
from bot.app.repair.together import Parts, Repairs
from bot.app.requests import Notice, Press
from bot.app.threads import Threads
from bot.entry.cards import Cards
from bot.entry.presenter import Presenter
from bot.entry.tending import guarded
from bot.entry.wiring.audit import told_story
from bot.entry.wiring.slack import Repair, slack_side
from bot.model.incident import Incident, Place
from bot.remedy.audit import AuditKey
from bot.remedy.decision import Decision, Entry, Policy
from bot.remedy.plan import BOT, Actor, Plan, PlanState, PlanStep, StepState
from bot.remedy.runbook import Risk
from tests.app.repair.small import OMEN2, OneNode, steps_of
from tests.app.repair.watched import KEY
from tests.entry.slack.hearing import SETTINGS, secrets
from tests.support.answers import words
from tests.support.desk import StubCluster, StubRecogniser, chains
from tests.support.redis import SetClock
from tests.support.repair import CountingHands, PlainOwners
from tests.support.slack_payloads import click, sent, signed
from tests.support.slack_ports import MemoryQueue
from tests.support.slack_server import TEAM, SlackServer

GROUP = "S0GPU"
REQUESTER, FIRST, SECOND = "U0ONCALL", "U0FIRST", "U0SECOND"
#: The second approver's Kubernetes user, in the terminal.
TERMINAL = "second@example.com"


class Stories:
    """`PostMortems` of what is kept, in English."""

    def __init__(self, journal: RedisJournal, reports: RedisReports) -> None:
        self._journal = journal
        self._reports = reports

    def markdown(self, incident: Incident, channel: str) -> str:
        return told_story(self._journal, self._reports, [AuditKey(KEY)], incident, words(), load_runbooks())


class SlackRepair:
    """One plan of two steps in a thread of C0ALERTS. Approvers: a user group, and the requester by id."""

    def __init__(
        self,
        server: SlackServer,
        url: str,
        *,
        risk: Risk = Risk.DESTRUCTIVE,
        dry: bool = False,
        remember: float = 0,
        second_channel: bool = False,
        **action: Any,
    ) -> None:
        self.server = server
        for user in (FIRST, SECOND):
            server.add_user(user)
        server.groups[GROUP] = [FIRST, SECOND]
        self.clock = SetClock()
        self.client, keys = connect(url), Keys("lab")
        self.journal = RedisJournal(
            self.client, keys, self.clock, KEY, sink=lambda _: None, durability=Durability.BEST_EFFORT
        )
        self.journal.begin("begin", Entry(type="journal-begun", at=self.clock.now(), actor=BOT))
        self.incidents = RedisIncidents(self.client, keys)
        self.queue = MemoryQueue()
        also_known_as = {f"k8s:{TERMINAL}": f"slack:{TEAM}/{SECOND}"}
        self.policy = Policy(mutations=not dry, second_channel=second_channel, also_known_as=also_known_as)
        self.cards = Cards(words(), "lab", self.policy, load_runbooks(), (f"slack:group/{GROUP}",))
        presenter = Presenter(words(), "lab")
        self.side = slack_side(
            SETTINGS,
            secrets(server),
            queue=self.queue,
            incidents=self.incidents,
            presenters={"en": presenter, "ko": presenter},
            repair=Repair(
                find=self._find,
                forms_of=lambda _: self.cards,
                approvers=(REQUESTER,),
                approver_groups=(GROUP,),
                remember=remember,
            ),
        )
        self.authority = Fronts(self.side.authority, TEAM, {TERMINAL: SECOND})
        self.node = OneNode()
        self.hands = CountingHands(on_effect=lambda done: self.node.labels.update({done.params["label"]: "on"}))
        self.repairs = Repairs(Parts(**self.parts(presenter)))
        self.desk = self._desk(presenter, keys)
        self.incident = self._incident(presenter)
        self._offer(steps_of(risk, **action), dry=dry)
        self._handled = 0

    def parts(self, presenter: Presenter) -> dict[str, Any]:
        numbers = itertools.count(1)
        return {
            "cluster": self.node,
            "incidents": self.incidents,
            "journal": self.journal,
            "investigator": StubCluster(["node/omen2"], lambda _: chains()),
            "recogniser": StubRecogniser(),
            "poster": self.side.poster,
            "presenter_of": lambda _: presenter,
            "cards_of": lambda _: self.cards,
            "library": load_runbooks(),
            "authority": self.authority,
            "owners": PlainOwners(),
            "policy": self.policy,
            "clock": self.clock,
            "world": self.clock,
            "new_id": lambda: f"id-{next(numbers)}",
            "name": "one",
            "guard": guarded,
            "hands": self.hands,
            "pause": timedelta(0),
            "stories": Stories(self.journal, RedisReports(self.client, Keys("lab"))),
        }

    def _desk(self, presenter: Presenter, keys: Keys) -> Desk:
        pastes = RedisPastes(self.client, keys, self.clock, timedelta(hours=2))
        return Desk(
            cluster="lab",
            clock=self.clock,
            incidents=self.incidents,
            investigator=StubCluster(["node/omen2"], lambda _: chains()),
            pastes=pastes,
            poster=self.side.poster,
            presenter_of=lambda _: presenter,
            recogniser=StubRecogniser(),
            waiting=pastes,
            repair=self.repairs.desk,
        )

    def _incident(self, presenter: Presenter) -> Incident:
        fresh = opening(
            cluster="lab",
            request_id="r1",
            at=self.clock.now(),
            place=Place("C0ALERTS"),
            scope=(OMEN2,),
            keys=("kubelet-swap-on node/omen2",),
            source="group:1",
            alerts=("a@1",),
        )
        threads = Threads(
            incidents=self.incidents, poster=self.side.poster, presenter_of=lambda _: presenter, clock=self.clock
        )
        return threads.post_root(self.incidents.open(fresh), chains())

    def _offer(self, steps: tuple[PlanStep, ...], *, dry: bool) -> None:
        requester = Actor(f"slack:{TEAM}/{REQUESTER}")
        plan = Plan(
            id=f"{self.incident.id}-1",
            incident=self.incident.id,
            cluster="lab",
            runbook="kubelet-swap",
            root="kubelet-swap-on",
            subject=OMEN2,
            requester=requester,
            known={requester.id: self.authority.may(requester).identity},
            created_at=self.clock.now(),
            option="only",
            steps=steps,
            state=PlanState.ACTIVE,
            dry=dry,
        )
        entry = Entry(type="plan-offered", at=self.clock.now(), actor=BOT, plan=plan.id, incident=plan.incident)
        decision = Decision(plan=plan, changed=True, reason="offered", entries=(entry,))
        assert self.journal.commit("offered", self.journal.read(plan.id), decision)
        self.repairs.sweeper.run_once()

    def _find(self, plan_id: str) -> tuple[Plan, Incident] | None:
        plan = self.journal.read(plan_id).plan
        incident = self.incidents.by_id(plan.incident) if plan else None
        return (plan, incident) if plan and incident else None

    # What people see and do

    @property
    def plan(self) -> Plan:
        found = self._find(f"{self.incident.id}-1")
        assert found is not None
        return found[0]

    def states(self) -> list[str]:
        return [one.state.value for one in self.plan.steps]

    def card(self, step: str = "first") -> tuple[str, dict[str, Any]]:
        """The step's card as it stands in Slack: its `ts` and its body."""
        incident = self.incidents.by_id(self.incident.id)
        assert incident is not None
        ts = incident.told[f"{self.plan.id}/step/{step}"].ts
        return ts, self.server.messages["C0ALERTS", ts]

    def end(self) -> tuple[str, dict[str, Any]]:
        """Approve and run every step; then the card of the plan's end: its `ts` and its body."""
        for step in ("first", "second"):
            for user in (FIRST, SECOND):
                if self.plan.step(step).state is StepState.AWAITING:
                    self.press("approve", user, step)
            self.run()
        incident = self.incidents.by_id(self.incident.id)
        assert incident is not None
        ts = incident.told[f"{self.plan.id}/finished/done"].ts
        return ts, self.server.messages["C0ALERTS", ts]

    def clicked(self, kind: str, user: str, step: str = "first", **fields: Any) -> dict[str, Any]:
        """The payload of a click on the step's card; its trigger is good."""
        ts, card = self.card(step)
        body = click(card, f"repair:{kind}", ts, thread=self.incident.place.thread, user=user, **fields)
        self.server.triggers.add(body["trigger_id"])
        return body

    def dispatch(self, body: dict[str, Any]) -> dict[str, Any]:
        """Send it signed, then let the worker do what was queued; returns what the acknowledgement says."""
        response = self.side.app.dispatch(signed(body))
        assert response.status == 200
        self.work()
        return json.loads(response.body) if response.body.startswith("{") else {}

    def work(self) -> None:
        """What a worker does with what is in the queue."""
        for request in self.queue.requests[self._handled :]:
            assert isinstance(request, Notice | Press)
            self.desk.handle(request)
        self._handled = len(self.queue.requests)

    def press(self, kind: str, user: str, step: str = "first", **fields: Any) -> dict[str, Any]:
        return self.dispatch(self.clicked(kind, user, step, **fields))

    def view(self) -> dict[str, Any]:
        """The form that was opened last."""
        view: dict[str, Any] = self.server.calls_of("views.open")[-1]["view"]
        return view

    def fill(self, kind: str, typed: str | None, user: str, step: str = "first") -> dict[str, Any]:
        """Press a button that opens a form, fill it in and send it."""
        self.press(kind, user, step)
        return self.dispatch(sent(self.view(), typed, user=user))

    def run(self) -> None:
        """What the executor does now."""
        assert self.repairs.executor is not None
        self.repairs.executor.run_once()

    def thread(self) -> list[str]:
        """Texts in the incident's thread, without its root."""
        bodies = self.server.messages.values()
        return [one["text"] for one in bodies if one.get("thread_ts") == self.incident.place.thread]

    def refusals(self) -> list[str]:
        return [one for one in self.thread() if one.startswith("REFUSED")]

    def refused(self) -> list[tuple[str, str]]:
        """Refusals in the audit: who, and the reason."""
        entries = [one for one in self.journal.entries() if one["type"] == "refused"]
        return [(one["actor"].rpartition("/")[2], one["details.reason"]) for one in entries]

    def types(self) -> list[str]:
        return [one["type"] for one in self.journal.entries()]


def refused(repair: SlackRepair, user: str, reason: str, *, effects: int = 0) -> None:
    """The last press was refused: in the thread, calling who pressed; in the audit; and nothing came of it."""
    assert repair.refused()[-1] == (user, reason)
    told = repair.refusals()[-1]
    assert told.splitlines()[-1] == f"<@{user}>"
    assert reason not in told, "the reason is told in words"
    assert len(repair.hands.effects) == effects


def held(repair: SlackRepair, reason: str, told: str) -> None:
    """What was approved does not run: the thread says why, the audit too, and nothing came of it."""
    assert repair.refused()[-1][1] == reason
    assert any(told in one for one in repair.thread())
    assert repair.hands.effects == []
