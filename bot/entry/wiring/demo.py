"""Puts a rehearsal together: embedded Redis, a simulated cluster with its physics, the bot as in Slack."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path

from rich.console import Console
from rich.text import Text

import bot
from bot.adapters.clock import WallClock
from bot.adapters.files.documents import documents
from bot.adapters.files.dump import DumpCluster
from bot.adapters.files.knowledge import load_words
from bot.adapters.files.runbooks import runbook_names
from bot.adapters.kubernetes.cluster import LiveCluster
from bot.adapters.redis.client import Keys, connect, connect_reader
from bot.adapters.redis.embedded import EmbeddedServer, valkey_binary
from bot.adapters.redis.queue import RedisQueue, RedisWorkQueue
from bot.adapters.terminal.poster import TerminalPoster
from bot.app.ports import Read
from bot.entry.demo.scripts import SCRIPTS
from bot.entry.demo.stage import Stage
from bot.entry.presenter import Presenter
from bot.entry.wiring.desk import DeskParts, build_desk
from bot.model.objects import Lease
from bot.model.sections import Section
from bot.model.snapshot import known
from bot.playground.apiserver.server import SimulatedCluster
from bot.playground.physics.api import Api
from bot.playground.physics.karpenter import Karpenter
from bot.playground.physics.kubelets import Kubelets
from bot.playground.physics.monitor import NodeMonitor
from bot.playground.physics.workloads import Workloads
from bot.playground.physics.world import Controller, Physics, WorldClock

_CLUSTER = "playground"
_PASTES_KEPT = timedelta(hours=1)
#: A kubelet renews its Lease every 10 s, and the Lease holds 40 s.
_SILENT = timedelta(seconds=60)


class NoScenario(ValueError):
    """A scenario that cannot be played; the text says why."""


def play(scenario: str, *, ask: bool, lang: str) -> None:
    """Play one outage in the terminal.

    Args:
        scenario: a name of `SCRIPTS`.
        ask: whether to wait for the person in front of the terminal.
        lang: the language of the bot's messages.

    Raises:
        NoScenario: there is no such scenario, or its dump is not on this machine.
    """
    if scenario not in SCRIPTS:
        raise NoScenario(f"scenario {scenario!r} is none of {', '.join(SCRIPTS)}")
    dump = Path(bot.__file__).parent.parent / "tests" / "scenarios" / scenario / "dump"
    if not dump.is_dir():
        raise NoScenario(f"{dump}: not here; the rehearsals need a checkout of the project")
    script, speed = SCRIPTS[scenario]
    journals = [path.read_text(encoding="utf-8") for path in sorted(dump.glob("journal/*_kubelet.log"))]
    console = Console()
    with _world(dump, speed) as (world, cluster), EmbeddedServer(valkey_binary()) as redis:
        script(_stage(world, cluster, redis.url, console, ask, lang), "\n".join(journals))
    command = f"gpu-autopsy diagnose --from {os.path.relpath(dump)}"
    console.print(Text(f"\n▶ The same answer from files: {command}", style="bold"))


@contextmanager
def _world(dump: Path, speed: float) -> Iterator[tuple[WorldClock, LiveCluster]]:
    """The rehearsed cluster, moving from the moment at which its dump was taken."""
    source = DumpCluster(dump, _CLUSTER)
    newest = source.newest()
    if newest is None:
        raise NoScenario(f"{dump}: no time in its objects")
    clock = WorldClock(newest.at, speed, time.monotonic)
    with ExitStack() as stack:
        simulated = stack.enter_context(SimulatedCluster(clock, name=_CLUSTER))
        simulated.load(one.item for path in sorted(dump.glob("*.yaml")) for one in documents(path) if one.item)
        physics = Physics(Api(simulated.kubeconfig()), clock, _controllers(source, clock))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gpu-autopsy-")))
        kubeconfig = simulated.write_kubeconfig(folder / "kubeconfig")
        physics.start()
        stack.callback(physics.stop)
        yield clock, LiveCluster.connect(kubeconfig, name=_CLUSTER)


def _controllers(source: DumpCluster, clock: WorldClock) -> tuple[Controller, ...]:
    """What moves in this cluster: its living kubelets, and Karpenter's loop where Karpenter is."""
    (claims,) = source.read((Read(section=Section.NODECLAIMS),))
    kubelets = Kubelets(_silent(source, clock))
    return (kubelets, NodeMonitor(), Karpenter(), Workloads()) if known(claims.objects) else (kubelets,)


def _silent(source: DumpCluster, clock: WorldClock) -> frozenset[str]:
    """The nodes whose kubelet was dead when the dump was taken."""
    (pages,) = source.read((Read(section=Section.LEASES),))
    leases = [one for one in known(pages.objects) if isinstance(one, Lease)]
    limit = clock.now() - _SILENT
    return frozenset(one.name for one in leases if one.spec.renew_time is None or one.spec.renew_time < limit)


def _stage(clock: WorldClock, cluster: LiveCluster, url: str, console: Console, ask: bool, lang: str) -> Stage:
    wall = WallClock()
    keys = Keys(_CLUSTER)
    presenter = Presenter(load_words(lang), _CLUSTER, runbook_names())
    desk = build_desk(
        DeskParts(
            cluster=cluster,
            redis=connect(url),
            keys=keys,
            world=clock,
            wall=wall,
            poster=TerminalPoster(console),
            presenter_of=lambda _channel: presenter,
            pastes_kept=_PASTES_KEPT,
        )
    )
    return Stage(
        console=console,
        ask=_asker(console) if ask else lambda _prompt: None,
        queue=RedisQueue(connect(url), keys),
        work=RedisWorkQueue(connect_reader(url), keys, "demo", wall),
        handle=desk.handle,
        cluster=cluster,
        clock=clock,
        wall=wall,
    )


def _asker(console: Console) -> Callable[[str], None]:
    def ask(prompt: str) -> None:
        console.input(Text(f"\n{prompt}", style="bold"))

    return ask
