"""A terminal with the settings of an operator, on the simulated cluster and a real Redis."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bot.entry.cli import app
from tests.support import worldtime
from tests.support.controlplane import ADMIN
from tests.support.servers import Simulated

ROOT = Path(__file__).parents[2]
DUMP = ROOT / "tests/scenarios/swap-kubelet/dump"
LOOP = ROOT / "tests/scenarios/replacement-loop/dump"
JOURNAL = DUMP / "journal/omen2_kubelet.log"


class Terminal:
    """Runs commands with the settings of an operator."""

    def __init__(self, url: str, simulated: Simulated, folder: Path, dump: Path = DUMP, also: str = "") -> None:
        simulated.server.load(worldtime.objects(dump))
        config = folder / "config.toml"
        approvers = "".join(f'"{one}" = ""\n' for one in (ADMIN, also) if one)
        config.write_text(f'cluster = "lab"\nmutations = true\n[kubernetes_approvers]\n{approvers}')
        self.url = url
        self.folder = folder
        self.server = simulated.server
        self.api = simulated.api()
        self.environ = {
            "AUTOPSY_CONFIG": str(config),
            "AUTOPSY_AUDIT_KEY": "k" * 32,
            "AUTOPSY_DURABILITY": "best-effort",
            "REDIS_URL": url,
        }

    def run(self, *words: str, user: str = ADMIN, lacks: str = "") -> Result:
        kubeconfig = self.server.write_kubeconfig(self.folder / f"kubeconfig-{user}", user)
        environ = {name: value for name, value in self.environ.items() if name != lacks}
        if words[0] != "audit" or words[1] == "init":
            words = (*words, "--kubeconfig", str(kubeconfig))
        return CliRunner().invoke(app, list(words), env={**dict.fromkeys(self.environ), **environ})

    def repair(self, *more: str, user: str = ADMIN) -> Result:
        return self.run("repair", "node/omen2", "--journal", str(JOURNAL), *more, user=user)


@pytest.fixture
def terminal(redis_url: str, simulated: Simulated, tmp_path: Path) -> Terminal:
    one = Terminal(redis_url, simulated, tmp_path)
    assert one.run("audit", "init").exit_code == 0
    return one


@pytest.fixture
def fresh(redis_url: str, simulated: Simulated, tmp_path: Path) -> Terminal:
    """A terminal whose audit has not begun."""
    return Terminal(redis_url, simulated, tmp_path)
