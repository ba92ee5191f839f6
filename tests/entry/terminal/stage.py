"""A terminal with the settings of an operator, on the simulated cluster and a real Redis."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner, Result

from bot.adapters.redis.client import Keys, connect
from bot.adapters.redis.durability import Durability
from bot.adapters.redis.incidents import RedisIncidents
from bot.adapters.redis.journal import RedisJournal
from bot.adapters.redis.pastes import RedisPastes
from bot.entry.cli import app
from bot.model.incident import Incident
from bot.remedy.decision import Decision
from bot.remedy.plan import Identity, Plan, PlanStep
from tests.support import cards, worldtime
from tests.support.controlplane import ADMIN
from tests.support.plans import change, entry
from tests.support.servers import Simulated, WallClock

ROOT = Path(__file__).parents[3]
DUMP = ROOT / "tests/scenarios/swap-kubelet/dump"
LOOP = ROOT / "tests/scenarios/replacement-loop/dump"
JOURNAL = DUMP / "journal/omen2_kubelet.log"
KEY = "k" * 32
#: Listed beside whoever sits here: one person alone is no team, and would have to say so (`solo`).
COLLEAGUE = "colleague"


class Terminal:
    """Runs commands with the settings of an operator."""

    def __init__(self, url: str, simulated: Simulated, folder: Path, dump: Path = DUMP, also: str = "") -> None:
        simulated.server.load(worldtime.objects(dump))
        config = folder / "config.toml"
        approvers = "".join(f'"{one}" = ""\n' for one in (ADMIN, COLLEAGUE, also) if one)
        config.write_text(f'cluster = "lab"\nmutations = true\n[kubernetes_approvers]\n{approvers}')
        self.url = url
        self.folder = folder
        self.server = simulated.server
        self.api = simulated.api()
        self.environ = {
            "AUTOPSY_CONFIG": str(config),
            "AUTOPSY_AUDIT_KEY": KEY,
            "AUTOPSY_DURABILITY": "best-effort",
            "REDIS_URL": url,
        }

    def run(self, *words: str, user: str = ADMIN, lacks: str = "", typed: str | bytes = "") -> Result:
        kubeconfig = self.server.write_kubeconfig(self.folder / f"kubeconfig-{user}", user)
        environ = {name: value for name, value in self.environ.items() if name != lacks}
        if words[0] != "audit" or words[1] == "init":
            words = (*words, "--kubeconfig", str(kubeconfig))
        return CliRunner().invoke(app, list(words), env={**dict.fromkeys(self.environ), **environ}, input=typed)

    def repair(self, *more: str, user: str = ADMIN) -> Result:
        return self.run("repair", "node/omen2", "--journal", str(JOURNAL), *more, user=user)

    def everybody_may_look(self) -> None:
        """Whom the cluster forbids to read is then kept out by the bot's own list alone, if at all."""
        self.server.faults.clear()

    @property
    def journal(self) -> RedisJournal:
        """What the commands write."""
        return RedisJournal(
            connect(self.url),
            Keys("lab"),
            WallClock(),
            KEY.encode(),
            sink=lambda _: None,
            durability=Durability.BEST_EFFORT,
        )

    @property
    def incidents(self) -> RedisIncidents:
        return RedisIncidents(connect(self.url), Keys("lab"))

    @property
    def pastes(self) -> RedisPastes:
        return RedisPastes(connect(self.url), Keys("lab"), WallClock(), timedelta(hours=1))

    def keep(self, *steps: PlanStep, **fields: Any) -> Plan:
        """A plan of an incident that began in Slack, as another process left both."""
        now = datetime.now(UTC)
        incident: Incident = msgspec.structs.replace(cards.INCIDENT, opened_at=now)
        self.incidents.open(incident)
        plan = cards.plan(*steps, created_at=now, **fields)
        plan = msgspec.structs.replace(plan, known={plan.requester.id: Identity(names=("email:1",))})
        store = self.journal
        assert store.commit("kept", store.read(plan.id), change_of(plan))
        return plan

    def plan(self, plan_id: str) -> Plan:
        found = self.journal.read(plan_id).plan
        assert found is not None
        return found

    def told(self, kind: str) -> list[Mapping[str, str]]:
        """The audit's entries of a kind."""
        return [one for one in self.journal.entries() if one["type"] == kind]


def change_of(plan: Plan) -> Decision:
    """The decision that makes a plan what it is."""
    return msgspec.structs.replace(change(plan, plan.steps[0].state, entry("plan-offered", plan.incident)), plan=plan)


def flat(result: Result) -> str:
    """What stands on the terminal, without its frames."""
    return " ".join(result.output.replace("│", " ").split())


def plan_of(result: Result) -> str:
    """The plan's id, as the cards show it."""
    return next(one for one in flat(result).split() if one.endswith("-1") and len(one) == 10)


@pytest.fixture
def terminal(redis_url: str, simulated: Simulated, tmp_path: Path) -> Terminal:
    one = Terminal(redis_url, simulated, tmp_path)
    assert one.run("audit", "init").exit_code == 0
    return one


@pytest.fixture
def fresh(redis_url: str, simulated: Simulated, tmp_path: Path) -> Terminal:
    """A terminal whose audit has not begun."""
    return Terminal(redis_url, simulated, tmp_path)
