"""Puts a rehearsal together: embedded Redis, a simulated cluster with its physics, the bot as in Slack, with repair."""

from __future__ import annotations

import logging
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import structlog
from redis import Redis
from rich.console import Console

from bot.adapters.clock import WallClock
from bot.adapters.files.knowledge import LANGUAGES, load_words
from bot.adapters.files.runbooks import Runbooks, load_runbooks
from bot.adapters.redis.client import Keys, connect, connect_reader
from bot.adapters.redis.durability import Durability
from bot.adapters.redis.embedded import EmbeddedServer, valkey_binary
from bot.adapters.redis.journal import RedisJournal
from bot.adapters.redis.queue import RedisQueue, RedisWorkQueue
from bot.adapters.terminal.poster import TerminalPoster
from bot.entry.cards import Cards
from bot.entry.demo.asking import Asker, AtTerminal, Nobody
from bot.entry.demo.onward import next_to_type
from bot.entry.demo.people import Typed
from bot.entry.demo.repair import APPROVERS, REQUESTER, Crew
from bot.entry.demo.scripts import SCRIPTS
from bot.entry.demo.stage import Stage
from bot.entry.presenter import Presenter
from bot.entry.wiring.desk import DeskParts, RepairParts, UseCases, build_use_cases
from bot.entry.wiring.rehearsed import CLUSTER, NoScenario, World, dump_of, rehearsed
from bot.entry.wiring.repair import keeping
from bot.knowledge.words import Words
from bot.playground.physics.addon import nvidia_monitor_off, upgraded
from bot.remedy.audit import AuditKey, verify
from bot.remedy.decision import Entry, Policy
from bot.remedy.plan import BOT

_PASTES_KEPT = timedelta(hours=1)


class _Memory(NamedTuple):
    """What the bot remembers with."""

    client: Redis
    keys: Keys
    journal: RedisJournal


class _Rules(NamedTuple):
    """What the bot goes by, and its language."""

    library: Runbooks
    policy: Policy
    words: Words


def play(scenario: str, *, ask: bool, lang: str, option: str = "") -> None:
    """Play one outage in the terminal, to its repaired end.

    Args:
        scenario: a name of `SCRIPTS`.
        ask: whether to wait for the person in front of the terminal.
        lang: the language of all that is said.
        option: of the runbook, instead of the one that the script suggests.

    Raises:
        NoScenario: there is no such scenario, or its dump is not on this machine.
        NotRepaired: it did not come to its good end.
        Stopped: the person ended it.
    """
    words = load_words(lang)
    if scenario not in SCRIPTS:
        raise NoScenario(words.told("demo-no-scenario", scenario=repr(scenario), known=", ".join(SCRIPTS)))
    # The cards tell what happens; between them only what goes wrong is of use.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    console, dump = Console(), dump_of(scenario)
    asker = AtTerminal(console, words) if ask else Nobody()
    with (
        EmbeddedServer(valkey_binary(), durable=True) as redis,
        rehearsal(scenario, redis.url, console, asker, lang=lang, option=option) as ready,
    ):
        ready.play()
        for reason, typed in next_to_type(scenario, option, dump, _command(), lang):
            ready.crew.stage.tell(reason, command=typed)


def _command() -> Path:
    """What starts this program: by its name where that is known here, else beside the interpreter, as in `.venv`."""
    name = Path("gpu-autopsy")
    return name if shutil.which(name) else Path(sys.executable).with_name(name.name)


class Rehearsal(NamedTuple):
    """A world in which nothing has happened yet, and the bot that looks at it.

    Attributes:
        audit_key: of the bot's audit; this rehearsal's own.
        play: plays the script to its end; raises what the scripts raise.
    """

    world: World
    crew: Crew
    audit_key: bytes
    play: Callable[[], None]


@contextmanager
def rehearsal(
    scenario: str, redis_url: str, console: Console, asker: Asker, *, lang: str, option: str = ""
) -> Iterator[Rehearsal]:
    """A scenario that is ready to be played, with a bot whose memory is this Redis.

    The Redis must say of each write that it is on disk.

    Raises:
        NoScenario: its dump is not on this machine.
    """
    script, speed = SCRIPTS[scenario]
    dump, key, words = dump_of(scenario), secrets.token_bytes(32), load_words(lang)
    journals = [path.read_text(encoding="utf-8") for path in sorted(dump.glob("journal/*_kubelet.log"))]
    with rehearsed(dump, speed) as world:
        crew = _crew(world, redis_url, console, asker, words, key)._replace(option=option)
        yield Rehearsal(world, crew, key, lambda: script(crew, "\n".join(journals)))


def _crew(world: World, url: str, console: Console, asker: Asker, words: Words, key: bytes) -> Crew:
    wall, keys, client = WallClock(), Keys(CLUSTER), connect(url)
    journal = RedisJournal(client, keys, wall, key, sink=lambda _: None, durability=Durability.STRICT)
    journal.begin("begin", Entry(type="journal-begun", at=wall.now(), actor=BOT))
    memory, rules = _Memory(client, keys, journal), _Rules(load_runbooks(), Policy(mutations=True), words)
    bench = _bench(world, memory, wall, console, rules)
    if bench.repairs is None:
        raise NoScenario("the bot was put together without repair")
    stage = Stage(
        console=console,
        asker=asker,
        words=words,
        queue=RedisQueue(client, keys),
        work=RedisWorkQueue(connect_reader(url), keys, "demo", wall),
        handle=bench.desk.handle,
        cluster=world.cluster,
        clock=world.clock,
        wall=wall,
        incidents=bench.incidents,
    )

    def broken() -> str | None:
        lines, head = journal.audit()
        found = verify(lines, [AuditKey(key)], head)
        if found is None:
            return None
        return words.told("demo-audit-entry", position=found.position, why=words.reason(f"audit-{found.flaw.value}"))

    return Crew(
        stage=stage,
        repairs=bench.repairs,
        journal=journal,
        on_host=world.host.run,
        machine=world.host.state,
        others={
            "monitor-off": lambda: nvidia_monitor_off(world.api),
            "monitor-upgrade": lambda: upgraded(world.api, "v1.7.0-eksbuild.1"),
            "stop-cuda": lambda: world.host.change(cuda="stopped"),
        },
        pace=world.clock.run,
        audit_holds=broken,
        library=rules.library,
        policy=rules.policy,
    )


def _bench(world: World, memory: _Memory, wall: WallClock, console: Console, rules: _Rules) -> UseCases:
    """The bot over the rehearsed cluster, with mutations on and everybody of the script an approver."""
    client, keys, journal = memory
    library, policy, words = rules
    presenters = {one: Presenter(load_words(one), CLUSTER, library.names, library.text) for one in LANGUAGES}
    cards = Cards(words, CLUSTER, policy, library, tuple(one.id for one in APPROVERS))
    return build_use_cases(
        DeskParts(
            cluster=world.cluster,
            redis=client,
            keys=keys,
            world=world.clock,
            wall=wall,
            poster=TerminalPoster(console, words),
            presenter_of=lambda _channel: presenters[words.lang],
            pastes_kept=_PASTES_KEPT,
            repair=RepairParts(
                journal=journal,
                policy=policy,
                authority=Typed((REQUESTER, *APPROVERS)),
                library=library,
                cards_of=lambda _channel: cards,
                hands=world.hands,
                configmaps=world.hands.configmaps,
                keep_report=keeping(client, keys, presenters),
            ),
        )
    )
