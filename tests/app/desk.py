"""A desk over a real Redis server, with stand-ins for Slack and the cluster; every test of the desk begins here."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import cast

import redis

from bot.adapters.redis.client import Keys, connect
from bot.adapters.redis.incidents import RedisIncidents
from bot.adapters.redis.pastes import RedisPastes
from bot.app.afterwards import Repair
from bot.app.desk import Desk
from bot.app.ports import Investigator
from bot.app.requests import Alert, AlertGroup, AlertMessage, Ask, Paste, Request
from bot.model.diagnosis import Diagnosis
from bot.model.findings import Finding
from bot.model.incident import Incident, Place
from bot.model.message import Message
from bot.model.refs import CLUSTER, Ref
from tests.support.desk import AT, Dies, PlainPresenter, SlackBoard, StubCluster, StubRecogniser, chains, fault
from tests.support.redis import SetClock

CHANNEL = "C0GPU"
LIVE = ("node/omen2", "node/omen3", "vm/vms/gpu-fedora", "vm/lab/gpu-fedora", "nodepool/gpu")
GENERATIONS = tuple(f"ip-10-0-0-{number}" for number in range(1, 6))


class Prose:
    """`Summariser`."""

    def __init__(self) -> None:
        self.asked = 0

    def summary(self, diagnosis: Diagnosis) -> Message | None:
        self.asked += 1
        return Message("prose") if diagnosis.roots else None


class World:
    """What stands around the desk. `broken` holds what is wrong by object; without the object asked for, all of it."""

    def __init__(self, url: str, *, absent_from: Sequence[str] = (), summariser: Prose | None = None) -> None:
        self.client = connect(url)
        self.keys = Keys("omen")
        self.clock = SetClock()
        self.board = SlackBoard(absent_from=absent_from)
        self.cluster = StubCluster([*LIVE, *(f"node/{one}" for one in GENERATIONS)], self.diagnose)
        self.investigator: Investigator = self.cluster
        self.store = RedisIncidents(self.client, self.keys)
        self.pastes = RedisPastes(self.client, self.keys, self.clock, timedelta(hours=2))
        self.waiting = RedisPastes(self.client, self.keys, self.clock, timedelta(hours=2), "waiting")
        self.summariser = summariser
        self.down: set[str] = set()
        self.loops = False
        self.repair: Repair | None = None
        self.desk = self.replica()

    def replica(self) -> Desk:
        """Another desk of the same bot, as another replica has it."""
        return Desk(
            cluster="omen",
            clock=self.clock,
            incidents=self.store,
            investigator=self.investigator,
            pastes=self.pastes,
            poster=self.board,
            presenter_of=lambda channel: PlainPresenter(),
            recogniser=StubRecogniser(),
            waiting=self.waiting,
            summariser_of=lambda _channel: self.summariser,
            repair=self.repair,
        )

    def diagnose(self, scope: tuple[Ref, ...]) -> Diagnosis:
        asked = None if CLUSTER in scope else {one.name for one in scope}
        found = [self._down(name) for name in sorted(self.down) if asked is None or name in asked]
        loops = asked is None or asked & {"gpu", *GENERATIONS}
        if self.loops and loops:
            pool = "nodepool/gpu"
            found.append([fault("dcgm-library-missing", pool), fault("node-replacement-loop", pool)])
        return chains(*found, unseen=["kubelet-swap-on"])

    def _down(self, name: str) -> list[Finding]:
        down = fault("kubelet-down", f"node/{name}")
        pasted = [text for text in self.pastes.texts([name]) if "swap" in text.text]
        return [fault("kubelet-swap-on", f"node/{name}", pasted_by="<@U0ONCALL>"), down] if pasted else [down]

    def incidents(self) -> list[Incident]:
        return list(self.store.all_open())

    def handle(self, *requests: Request) -> None:
        for one in requests:
            self.desk.handle(one)

    def handle_dying(self, request: Request) -> int:
        """Handle it while the process dies after every post that is new, before it is noted; how often it died."""
        deaths = 0
        while True:
            # The first post of a later attempt is the one that could not be noted.
            self.board.dies_at = 2 if deaths else 1
            try:
                self.replica().handle(request)
            except Dies:
                deaths += 1
            else:
                self.board.dies_at = 0
                return deaths

    def everything_stored(self) -> bytes:
        """All keys and values of the server."""
        client: redis.Redis = self.client
        client.config_set("rdbcompression", "no")
        found = cast("list[bytes]", client.keys("*"))
        return b"\n".join(found) + b"\n".join(cast("bytes", client.dump(one)) for one in found)


def alert(name: str, at: datetime = AT, *, firing: bool = True, fingerprint: str = "") -> Alert:
    return Alert(
        firing=firing,
        labels={"alertname": "KubeNodeNotReady", "node": name},
        starts_at=at,
        fingerprint=fingerprint or f"f-{name}",
    )


def group(request_id: str, *alerts: Alert, key: str = "g1", channel: str = CHANNEL, truncated: int = 0) -> AlertGroup:
    return AlertGroup(id=request_id, group_key=key, alerts=alerts, place=Place(channel), truncated=truncated)


def message(request_id: str, text: str, ts: str, channel: str = CHANNEL) -> AlertMessage:
    return AlertMessage(id=request_id, text=text, place=Place(channel, ts))


def ask(request_id: str, words: str, thread: str = "", *, channel: str = CHANNEL, url: str = "") -> Ask:
    return Ask(id=request_id, words=words, place=Place(channel, thread), user="U0ONCALL", response_url=url)


def paste(request_id: str, text: str, thread: str, *, addressed: bool = False) -> Paste:
    place = Place(CHANNEL, thread)
    return Paste(id=request_id, text=text, place=place, user="U0ONCALL", at=AT, addressed=addressed)
