"""A stage for the whole bot: the process, and everything that stands around it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, cast

import redis

from bot.adapters.redis.client import Keys, connect
from bot.adapters.redis.incidents import RedisIncidents
from bot.model.incident import Incident
from bot.model.sections import RESOURCES
from bot.playground.apiserver.server import USER, SimulatedCluster
from bot.render.slack.text import words_of
from tests.support.bot import PATIENCE, Bot, settings, until
from tests.support.kubeapi import Json, KubeApi
from tests.support.servers import WallClock
from tests.support.slack_payloads import message, socket_kind
from tests.support.slack_people import populate
from tests.support.slack_server import SlackServer
from tests.support.slack_socket import Delivery
from tests.support.worldtime import moved, moved_to, objects

SCENARIOS = Path(__file__).parent.parent / "scenarios"
#: Alerts of C0HOOK come from Alertmanager, those of C0ALERTS from two apps; C0KO speaks Korean.
CHANNELS = [
    {"id": "C0HOOK", "name": "gpu", "source": "alertmanager"},
    {"id": "C0KO", "name": "ko", "source": "alertmanager", "language": "ko"},
    {"id": "C0ALERTS", "source": "app"},
]
ALERT_APPS = [{"app_id": "A0ALERTS", "channel": "C0ALERTS"}, {"bot_id": "B0GRAFANA", "channel": "C0ALERTS"}]


class Stage:
    """What a test can do, and what it can see. Everything stands for one cluster, `lab`."""

    def __init__(self, slack: SlackServer, cluster: SimulatedCluster, redis_url: str, bot: Bot) -> None:
        self.slack = slack
        self.cluster = cluster
        self.bot = bot
        self.redis: redis.Redis = connect(redis_url)
        #: Errors that a test provokes: their events in the log.
        self.provoked: set[str] = set()
        self._keys = Keys("lab")

    def close(self) -> None:
        self.redis.close()

    def say(self, body: dict[str, Any]) -> Delivery:
        """Slack delivers this body; returns once the bot has acknowledged it."""
        return self.slack.socket.send(socket_kind(body), body).wait()

    def write(self, text: str, thread: str = "", **fields: Any) -> Delivery:
        """A person writes in C0HOOK, or in a thread there."""
        place = {"channel": "C0HOOK"} | ({"thread_ts": thread} if thread else {})
        return self.say(message(text, **(place | fields)))

    def settle(self, seconds: float = PATIENCE) -> None:
        """Wait until the bot has done everything that it took."""
        until("the queue is empty", lambda: not self.unfinished(), seconds)

    def unfinished(self) -> int:
        """How much the bot took and has not done."""
        return cast("int", self.redis.xlen(self._keys("work")))

    def let_pending_age(self) -> None:
        """Let a minute pass for what was taken and is not done, after which another worker takes it over."""
        stream = self._keys("work")
        for one in self.redis.xpending_range(stream, "workers", "-", "+", 100):
            entry, consumer = one["message_id"], one["consumer"]
            self.redis.xclaim(stream, "workers", consumer, 0, [entry], idle=60_000, justid=True)

    def load(self, *things: Json) -> None:
        """Put objects into the cluster, over those of the same name."""
        self.cluster.load(things)

    def remove(self, kind: str, namespace: str, name: str) -> None:
        """Take an object out of the cluster."""
        api_version = next(one.api_version for one in RESOURCES.values() if one.kind == kind)
        thing = {"apiVersion": api_version, "kind": kind, "metadata": {"namespace": namespace, "name": name}}
        with KubeApi.at(self.cluster.url, USER) as api:
            api.delete(thing)

    def threads(self, channel: str = "C0HOOK") -> dict[str, list[dict[str, Any]]]:
        """The messages of a channel as they stand now, by thread; first what the bot posted into the channel itself."""
        found: dict[str, list[dict[str, Any]]] = {}
        for (place, ts), body in sorted(self.slack.messages.items()):
            if place == channel:
                found.setdefault(body.get("thread_ts") or ts, []).append(body)
        return found

    def thread(self, channel: str = "C0HOOK") -> tuple[str, dict[str, Any], list[str]]:
        """The one thread of a channel: its ts, its first message, and the words of the others."""
        ((ts, (root, *replies)),) = self.threads(channel).items()
        return ts, root, [words(one) for one in replies]

    def incidents(self) -> tuple[Incident, ...]:
        """The open incidents."""
        return RedisIncidents(self.redis, self._keys).all_open()

    def incident(self, thread: str) -> Incident:
        """The incident of a thread, whatever its state."""
        found = [one for one in self.all_incidents() if one.place.thread == thread]
        assert len(found) == 1, found
        return found[0]

    def dead(self) -> int:
        """How many requests were given up."""
        return cast("int", self.redis.xlen(self._keys("dead")))

    def everything_stored(self) -> str:
        """All keys of Redis and all that they hold, as text."""
        readers = {
            b"string": self.redis.get,
            b"set": self.redis.smembers,
            b"hash": self.redis.hgetall,
            b"zset": lambda key: self.redis.zrange(key, 0, -1, withscores=True),
            b"list": lambda key: self.redis.lrange(key, 0, -1),
            b"stream": self.redis.xrange,
        }
        return "\n".join(f"{key!r} {readers[self.redis.type(key)](key)!r}" for key in self.redis.scan_iter("*"))

    def all_incidents(self) -> Iterator[Incident]:
        """Everything that is kept: incidents of any state, and conversations."""
        store = RedisIncidents(self.redis, self._keys)
        prefix = self._keys("incident", "")
        for key in self.redis.scan_iter(f"{prefix}*"):
            name = key.decode().removeprefix(prefix)
            if ":" not in name and (found := store.by_id(name)) is not None:
                yield found

    def reset(self, things: Sequence[Json]) -> None:
        """As if nothing had happened yet, for a bot that goes on running."""
        self.settle()
        for key in self.redis.scan_iter("*"):
            # The stream of work is empty; without it the bot would have to notice that Redis lost its data.
            if key != self._keys("work").encode():
                self.redis.delete(key)
        self.provoked.clear()
        self.slack.later = 0.0
        self.slack.calls.clear()
        self.slack.messages.clear()
        self.cluster.faults.clear()
        self.load(*things)


def words(body: Mapping[str, Any]) -> str:
    """Everything that a message says."""
    return words_of(body)


def scenario(name: str) -> list[Json]:
    """The objects of a scenario's dump, moved so that its newest time is now."""
    return moved_to(_read(name), datetime.now(UTC))


@cache
def _read(name: str) -> list[Json]:
    return objects(SCENARIOS / name / "dump")


@contextmanager
def staged(
    redis_url: str, folder: Path, things: Sequence[Json], slack: SlackServer | None = None, **environ: str
) -> Iterator[Stage]:
    """A bot that hears Slack, over a cluster that holds these objects."""
    with ExitStack() as stack:
        slack = stack.enter_context(slack or SlackServer())
        populate(slack)
        cluster = stack.enter_context(SimulatedCluster(WallClock()))
        cluster.load(things)
        kubeconfig = cluster.write_kubeconfig(folder / "kubeconfig")
        channels = {"AUTOPSY_CHANNELS": json.dumps(CHANNELS), "AUTOPSY_ALERT_APPS": json.dumps(ALERT_APPS)}
        bot = stack.enter_context(Bot(settings(slack, redis_url, kubeconfig, **(channels | environ)), folder / "log"))
        stage = Stage(slack, cluster, redis_url, bot)
        stack.callback(stage.close)
        slack.socket.wait_for_connection()
        yield stage


def silent(things: Sequence[Json], name: str) -> list[Json]:
    """A node and its Lease as they are an hour after its kubelet died."""
    (node,) = (one for one in things if (one["kind"], one["metadata"]["name"]) == ("Node", name))
    (lease,) = (one for one in things if (one["kind"], one["metadata"]["name"]) == ("Lease", name))
    told = {"status": "Unknown", "reason": "NodeStatusUnknown", "message": "Kubelet stopped posting node status."}
    conditions = [one | (told if one["type"] == "Ready" else {}) for one in node["status"]["conditions"]]
    hour_ago = moved(lease, -timedelta(hours=1))
    return [node | {"status": node["status"] | {"conditions": conditions}}, hour_ago]
