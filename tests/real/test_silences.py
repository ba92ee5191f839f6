"""A real Alertmanager takes the bot's silences. Axes: what is matched, until when, who answers."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.alertmanager import AlertmanagerSilencer
from bot.remedy.plan import Actor
from tests.support.alertmanager import Alertmanager, alert, alertmanager, find_alertmanager
from tests.support.ports import free_port
from tests.support.servers import WallClock

pytestmark = pytest.mark.real
BY = Actor("slack:T0TEAM/U0ONCALL")
LABELS = {"alertname": "KubeVirtVMDown", "node": "omen2"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Alertmanager]:
    program = find_alertmanager()
    if program is None:
        pytest.skip("no Alertmanager on this machine (Debian's package is prometheus-alertmanager)")
    with ExitStack() as running:
        nowhere = f"http://127.0.0.1:{free_port()}/"
        yield running.enter_context(alertmanager(program, tmp_path, nowhere, "t" * 16, ["alertname"]))


def get(server: Alertmanager, path: str) -> Any:
    with urllib.request.urlopen(f"{server.address}/api/v2/{path}", timeout=10) as reply:
        return json.load(reply)


def test_a_silence_covers_exactly_what_was_meant_and_ends(server: Alertmanager) -> None:
    now = datetime.now(UTC)
    until = now + timedelta(hours=8)
    server.tell(
        alert(LABELS, now), alert({**LABELS, "node": "hydra"}, now), alert({**LABELS, "alertname": "Other"}, now)
    )
    made = AlertmanagerSilencer(server.address, WallClock()).silence(LABELS, until, BY, "i1", "down by choice")
    found = get(server, f"silence/{made}")
    assert (found["createdBy"], found["comment"], found["status"]["state"]) == (
        BY.id,
        "incident i1: down by choice",
        "active",
    )
    assert abs(datetime.fromisoformat(found["endsAt"]) - until) < timedelta(seconds=1)
    states = {tuple(one["labels"].values()): one["status"]["silencedBy"] for one in get(server, "alerts")}
    assert states == {("KubeVirtVMDown", "omen2"): [made], ("KubeVirtVMDown", "hydra"): [], ("Other", "omen2"): []}


def test_a_value_is_no_pattern(server: Alertmanager) -> None:
    now = datetime.now(UTC)
    server.tell(alert(LABELS, now))
    AlertmanagerSilencer(server.address, WallClock()).silence({"node": ".*"}, now + timedelta(hours=1), BY, "i1", "x")
    (found,) = get(server, "alerts")
    assert found["status"]["silencedBy"] == []


def test_one_that_is_over_already_is_refused(server: Alertmanager) -> None:
    silencer = AlertmanagerSilencer(server.address, WallClock())
    with pytest.raises(RuntimeError, match="HTTP 400"):
        silencer.silence(LABELS, datetime.now(UTC) - timedelta(hours=1), BY, "i1", "x")
    assert get(server, "silences") == []


def test_a_route_prefix_that_is_not_there(server: Alertmanager) -> None:
    silencer = AlertmanagerSilencer(f"{server.address}/prefix/", WallClock())
    with pytest.raises(RuntimeError, match="HTTP 404"):
        silencer.silence(LABELS, datetime.now(UTC) + timedelta(hours=1), BY, "i1", "x")


def test_what_is_asked_for_twice_is_one_silence_and_another_incident_s_is_another(server: Alertmanager) -> None:
    silencer, now = AlertmanagerSilencer(server.address, WallClock()), datetime.now(UTC)
    first = silencer.silence(LABELS, now + timedelta(hours=1), BY, "i1", "being repaired")
    again = silencer.silence(LABELS, now + timedelta(hours=8), BY, "i1", "left broken by choice")
    assert first == again
    (found,) = get(server, "silences")
    assert (found["status"]["state"], found["comment"]) == ("active", "incident i1: left broken by choice")
    assert datetime.fromisoformat(found["endsAt"]) > now + timedelta(hours=7)

    others = [
        silencer.silence(LABELS, now + timedelta(hours=1), BY, "i2", "x"),
        silencer.silence({"alertname": "Other"}, now + timedelta(hours=1), BY, "i1", "x"),
    ]
    assert len({first, *others}) == 3

    urllib.request.urlopen(urllib.request.Request(f"{server.address}/api/v2/silence/{first}", method="DELETE"))
    assert silencer.silence(LABELS, now + timedelta(hours=1), BY, "i1", "x") != first, "that one is over"


def test_what_is_not_known_to_be_there_is_not_made(server: Alertmanager) -> None:
    with pytest.raises(RuntimeError, match="HTTP 404"):
        AlertmanagerSilencer(f"{server.address}/x", WallClock()).silence(LABELS, datetime.now(UTC), BY, "i1", "x")
    assert get(server, "silences") == []
