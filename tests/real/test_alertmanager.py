"""A real Alertmanager posts to the webhook: it fires, groups, repeats after a lost queue, resolves."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import uvicorn
from prometheus_client import CollectorRegistry

from bot.app.requests import AlertGroup
from bot.entry.webhook import Door, webhook_app
from tests.entry.fakes import MemoryQueue
from tests.support.alertmanager import Alertmanager, alert, alertmanager, find_alertmanager
from tests.support.ports import free_port

pytestmark = pytest.mark.real
TOKEN = "correct-horse-battery"
#: Seconds to wait for what must come; Alertmanager's own waits are a second.
PATIENCE = 30.0
LABELS = {"alertname": "KubeNodeNotReady", "severity": "critical"}


class Ear:
    """The webhook on a port of its own, and what its queue was given."""

    def __init__(self) -> None:
        self.queue = MemoryQueue()
        self.registry = CollectorRegistry()
        self.port = free_port()
        door = Door(
            queue=self.queue,
            token=TOKEN,
            channels={"gpu": "C0GPU"},
            alive={},
            ready={},
            registry=self.registry,
        )
        config = uvicorn.Config(
            webhook_app(door), host="127.0.0.1", port=self.port, log_config=None, lifespan="off", access_log=False
        )
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, name="webhook")

    def groups(self) -> list[AlertGroup]:
        return [one for one in self.queue.requests if isinstance(one, AlertGroup)]

    def replies(self, code: str) -> float:
        return self.registry.get_sample_value("autopsy_webhook_replies_total", {"code": code}) or 0.0


@pytest.fixture
def ear() -> Iterator[Ear]:
    one = Ear()
    one.thread.start()
    wait_until(lambda: one.server.started)
    yield one
    one.server.should_exit = True
    one.thread.join(10)
    assert not one.thread.is_alive()


def wait_until(true: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > until:
            raise TimeoutError
        time.sleep(0.02)


@pytest.fixture
def start(ear: Ear, tmp_path: Path) -> Iterator[Callable[[str], Alertmanager]]:
    program = find_alertmanager()
    if program is None:
        pytest.skip("no Alertmanager on this machine (Debian's package is prometheus-alertmanager)")
    with ExitStack() as running:
        yield lambda token: running.enter_context(
            alertmanager(program, tmp_path, f"http://127.0.0.1:{ear.port}/alertmanager/gpu", token, ["alertname"])
        )


def test_it_fires_groups_and_resolves(ear: Ear, start: Callable[[str], Alertmanager]) -> None:
    server = start(TOKEN)
    since = datetime.now(UTC).replace(microsecond=0) - timedelta(days=112)
    omen, hydra = ({**LABELS, "node": name} for name in ("omen2", "hydra"))

    server.tell(alert(omen, since, summary="omen2 is down"))
    wait_until(lambda: len(ear.groups()) == 1)
    server.tell(alert(omen, since, summary="omen2 is down"), alert(hydra, since))
    wait_until(lambda: len(ear.groups()) == 2)
    ended = datetime.now(UTC).replace(microsecond=0)
    server.tell(alert(omen, since, ended), alert(hydra, since, ended))
    wait_until(lambda: len(ear.groups()) == 3)

    first, second, last = ear.groups()
    assert {one.group_key for one in ear.groups()} == {'{}:{alertname="KubeNodeNotReady"}'}
    assert len({one.id for one in ear.groups()}) == 3
    assert [(one.firing, one.labels, one.starts_at, one.ends_at) for one in first.alerts] == [(True, omen, since, None)]
    assert first.alerts[0].annotations == {"summary": "omen2 is down"}
    assert {one.labels["node"] for one in second.alerts} == {"omen2", "hydra"}
    assert len({one.fingerprint for one in second.alerts}) == 2
    assert [(one.firing, one.ends_at) for one in last.alerts] == [(False, ended)] * 2


def test_it_sends_again_what_was_not_kept(ear: Ear, start: Callable[[str], Alertmanager]) -> None:
    ear.queue.down = True
    start(TOKEN).tell(alert({**LABELS, "node": "omen2"}, datetime.now(UTC)))
    wait_until(lambda: ear.replies("503") >= 1)
    assert ear.groups() == []
    ear.queue.down = False
    wait_until(lambda: ear.replies("200") >= 1)
    assert (len(ear.groups()), ear.replies("200")) == (1, 1)


def test_a_wrong_token_gets_nothing_in(ear: Ear, start: Callable[[str], Alertmanager]) -> None:
    start("another-horse").tell(alert({**LABELS, "node": "omen2"}, datetime.now(UTC)))
    wait_until(lambda: ear.replies("401") >= 1)
    assert ear.groups() == []
