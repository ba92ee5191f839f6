"""The HTTP door. The axes: token, channel, size and form of the body, state of the group, state of the queue."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from starlette.testclient import TestClient

from bot.app.requests import AlertGroup
from bot.entry.metrics import StoreMetrics
from bot.entry.webhook import BODY_LIMIT, Door, webhook_app
from tests.entry.fakes import MemoryQueue
from tests.support.webhook import alert, group

TOKEN = "correct-horse-battery"
AUTH = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def queue() -> MemoryQueue:
    return MemoryQueue()


@pytest.fixture
def working() -> dict[str, bool]:
    return {"workers": True, "redis": True, "slack": True}


@pytest.fixture
def client(queue: MemoryQueue, working: dict[str, bool]) -> Iterator[TestClient]:
    door = Door(
        queue=queue,
        token=TOKEN,
        channels={"C0GPU": "C0GPU", "gpu": "C0GPU", "C0OPS": "C0OPS"},
        alive={"workers": lambda: working["workers"]},
        ready={"redis": lambda: working["redis"], "slack": lambda: working["slack"]},
        registry=CollectorRegistry(),
    )
    with TestClient(webhook_app(door)) as client:
        yield client


def sample(client: TestClient, line: str) -> bool:
    return line in client.get("/metrics").text.splitlines()


def test_a_group_becomes_a_request(client: TestClient, queue: MemoryQueue) -> None:
    reply = client.post("/alertmanager/gpu", json=group(), headers=AUTH)
    (request,) = queue.requests
    assert reply.status_code == 200
    assert reply.json() == {"id": request.id, "fresh": True, "alerts": 1, "truncated": 0}
    assert isinstance(request, AlertGroup)
    assert (request.group_key, request.place.channel, request.place.thread) == (group()["groupKey"], "C0GPU", "")
    (one,) = request.alerts
    assert (one.firing, one.labels["node"], one.annotations["summary"]) == (True, "omen2", "<!channel> down")
    assert one.starts_at == datetime(2026, 7, 10, 15, 40, 51, 123456, UTC)
    assert one.ends_at is None


def test_a_resolution_has_its_end(client: TestClient, queue: MemoryQueue) -> None:
    client.post("/alertmanager/gpu", json=group(alert(status="resolved"), status="resolved"), headers=AUTH)
    (request,) = queue.requests
    assert isinstance(request, AlertGroup)
    assert [(one.firing, one.ends_at) for one in request.alerts] == [(False, datetime(2026, 7, 10, 16, tzinfo=UTC))]


def test_what_was_left_out_is_said(client: TestClient, queue: MemoryQueue) -> None:
    reply = client.post("/alertmanager/gpu", json=group(truncatedAlerts=3), headers=AUTH)
    (request,) = queue.requests
    assert isinstance(request, AlertGroup)
    assert (request.truncated, reply.json()["truncated"]) == (3, 3)
    assert sample(client, "autopsy_webhook_truncated_alerts_total 3.0")


SAME = {
    "a retry after a lost reply": group(),
    "other readings in the annotations": group(alert(annotations={"summary": "for 4 h"})),
    "alerts in another order": group(alert("b"), alert("a")),
    "an end that a firing alert would have": group(alert(endsAt="2026-07-10T19:40:51Z")),
    "another replica of Alertmanager": group(externalURL="http://alertmanager-1"),
}


@pytest.mark.parametrize("again", SAME.values(), ids=SAME)
def test_the_same_state_is_told_once(client: TestClient, queue: MemoryQueue, again: dict[str, Any]) -> None:
    first = group(alert("a"), alert("b")) if len(again["alerts"]) == 2 else group()
    client.post("/alertmanager/gpu", json=first, headers=AUTH)
    reply = client.post("/alertmanager/C0GPU", json=again, headers=AUTH)
    assert (reply.status_code, reply.json()["fresh"], len(queue.requests)) == (200, False, 1)
    assert sample(client, "autopsy_webhook_repeated_groups_total 1.0")


OTHER = {
    "another alert": ("gpu", group(alert("hydra"))),
    "one more alert": ("gpu", group(alert(), alert("hydra"))),
    "one alert resolved": ("gpu", group(alert(status="resolved"))),
    "all resolved": ("gpu", group(alert(status="resolved"), status="resolved")),
    "fires again later": ("gpu", group(alert(startsAt="2026-07-11T00:00:00Z"))),
    "more left out": ("gpu", group(truncatedAlerts=1)),
    "another group": ("gpu", group(groupKey="{}:{}")),
    "another channel": ("C0OPS", group()),
}


@pytest.mark.parametrize(("channel", "other"), OTHER.values(), ids=OTHER)
def test_another_state_is_told(client: TestClient, queue: MemoryQueue, channel: str, other: dict[str, Any]) -> None:
    client.post("/alertmanager/gpu", json=group(), headers=AUTH)
    reply = client.post(f"/alertmanager/{channel}", json=other, headers=AUTH)
    assert (reply.json()["fresh"], len(queue.requests)) == (True, 2)


FORGED = {
    "none": {},
    "empty": {"Authorization": ""},
    "no token": {"Authorization": "Bearer"},
    "a prefix": {"Authorization": f"Bearer {TOKEN[:-1]}"},
    "one more character": {"Authorization": f"Bearer {TOKEN}x"},
    "another case": {"Authorization": f"Bearer {TOKEN.upper()}"},
    "basic": {"Authorization": f"Basic {TOKEN}"},
    "bare": {"Authorization": TOKEN},
    "beyond ASCII": {"Authorization": b"Bearer \xff\xfe"},
    "in another header": {"X-Token": TOKEN},
}


@pytest.mark.parametrize("headers", FORGED.values(), ids=FORGED)
@pytest.mark.parametrize("channel", ["gpu", "nowhere"])
def test_a_forged_token_learns_nothing(
    client: TestClient, queue: MemoryQueue, headers: dict[str, str], channel: str
) -> None:
    reply = client.post(f"/alertmanager/{channel}", json=group(), headers=headers)
    assert (reply.status_code, reply.headers["www-authenticate"], queue.requests) == (401, "Bearer", [])
    assert TOKEN not in reply.text


def test_the_scheme_may_have_any_case(client: TestClient) -> None:
    reply = client.post("/alertmanager/gpu", json=group(), headers={"Authorization": f"bearer {TOKEN}"})
    assert reply.status_code == 200


def test_without_a_token_the_webhook_is_closed(queue: MemoryQueue) -> None:
    door = Door(queue=queue, token=None, channels={"gpu": "C0GPU"}, alive={}, ready={}, registry=CollectorRegistry())
    with TestClient(webhook_app(door)) as client:
        for header in ("Bearer", "Bearer ", "Bearer None"):
            assert client.post("/alertmanager/gpu", json=group(), headers={"Authorization": header}).status_code == 401


def test_an_unknown_channel(client: TestClient, queue: MemoryQueue) -> None:
    assert client.post("/alertmanager/general", json=group(), headers=AUTH).status_code == 404
    assert queue.requests == []


@pytest.mark.parametrize("over", [0, 1])
@pytest.mark.parametrize("length", ["told", "chunked"])
def test_the_size_has_a_limit(client: TestClient, over: int, length: str) -> None:
    body = json.dumps(group()).encode()
    body += b" " * (BODY_LIMIT + over - len(body))
    content = body if length == "told" else iter([body[: 1 << 19], body[1 << 19 :]])
    reply = client.post("/alertmanager/gpu", content=content, headers=AUTH)
    assert reply.status_code == (413 if over else 200)


NOT_JSON = {
    "nothing": b"",
    "cut": json.dumps(group()).encode()[:-5],
    "a form": b"a=b",
    "not UTF-8": b'{"version": "\xff"}',
    "half a surrogate": b'{"version": "\\ud800"}',
}


@pytest.mark.parametrize("body", NOT_JSON.values(), ids=NOT_JSON)
def test_what_is_no_json(client: TestClient, queue: MemoryQueue, body: bytes) -> None:
    reply = client.post("/alertmanager/gpu", content=body, headers=AUTH)
    assert (reply.status_code, queue.requests) == (400, [])


MALFORMED: dict[str, tuple[Any, str]] = {
    "a list": ([], "body: "),
    "an older version": (group(version="3"), "version: "),
    "a version that is a number": (group(version=4), "version: "),
    "no group key": ({key: value for key, value in group().items() if key != "groupKey"}, "groupKey: "),
    "an empty group key": (group(groupKey=""), "groupKey: "),
    "a status of its own": (group(status="pending"), "status: "),
    "a negative count": (group(truncatedAlerts=-1), "truncatedAlerts: "),
    "no alerts": (group(alerts=[]), "alerts: "),
    "an alert that is text": (group(alerts=["down"]), "alerts[0]: "),
    "a label that is a number": (group(alert(labels={"node": 5})), "alerts[0].labels.node: "),
    "no labels": (group(alert(labels=None)), "alerts[0].labels: "),
    "no time": (group(alert(startsAt="yesterday")), "alerts[0].startsAt: "),
    "a time without a zone": (group(alert(startsAt="2026-07-10T15:40:51")), "alerts[0].startsAt: "),
    "no fingerprint": (group(alert(), alert(fingerprint="")), "alerts[1].fingerprint: "),
}


@pytest.mark.parametrize(("body", "told"), MALFORMED.values(), ids=MALFORMED)
def test_what_is_malformed_is_named(client: TestClient, queue: MemoryQueue, body: Any, told: str) -> None:
    reply = client.post("/alertmanager/gpu", json=body, headers=AUTH)
    assert (reply.status_code, queue.requests) == (422, [])
    assert reply.json()["errors"][0].startswith(told)
    assert "<!channel>" not in reply.text


def test_many_errors_are_counted(client: TestClient) -> None:
    reply = client.post("/alertmanager/gpu", json=group(*({} for _ in range(100))), headers=AUTH)
    *named, rest = reply.json()["errors"]
    assert (len(named), rest.startswith("and "), rest.endswith(" more")) == (5, True, True)


def test_a_long_name_is_cut(client: TestClient) -> None:
    reply = client.post("/alertmanager/gpu", json=group(alert(labels={"x" * 10_000: 5})), headers=AUTH)
    assert len(reply.text) < 300


def test_a_lost_queue_asks_for_a_retry(client: TestClient, queue: MemoryQueue) -> None:
    queue.down = True
    assert client.post("/alertmanager/gpu", json=group(), headers=AUTH).status_code == 503
    queue.down = False
    assert client.post("/alertmanager/gpu", json=group(), headers=AUTH).json()["fresh"]
    assert sample(client, 'autopsy_webhook_replies_total{code="503"} 1.0')
    assert sample(client, 'autopsy_webhook_alerts_total{status="firing"} 1.0')


@pytest.mark.parametrize(
    ("path", "parts"), [("/healthz", {"workers"}), ("/readyz", {"redis", "slack"})], ids=["health", "readiness"]
)
@pytest.mark.parametrize("broken", ["workers", "redis", "slack", None])
def test_probes_name_the_part(
    client: TestClient, working: dict[str, bool], path: str, parts: set[str], broken: str | None
) -> None:
    if broken:
        working[broken] = False
    reply = client.get(path)
    assert reply.json() == {name: name != broken for name in parts}
    assert reply.status_code == (503 if broken in parts else 200)


def test_only_posts_are_taken(client: TestClient) -> None:
    assert client.get("/alertmanager/gpu", headers=AUTH).status_code == 405


@pytest.mark.parametrize(
    ("memory", "shown"),
    [
        (
            (1000, 2000),
            {"autopsy_redis_used_memory_bytes 1000.0", "autopsy_redis_max_memory_bytes 2000.0"},
        ),
        (None, set()),
    ],
    ids=["told", "not told"],
)
def test_how_full_redis_is_stands_in_the_metrics(
    queue: MemoryQueue, memory: tuple[int, int] | None, shown: set[str]
) -> None:
    registry = CollectorRegistry()
    registry.register(StoreMetrics(lambda: memory))
    door = Door(queue=queue, token=None, channels={}, alive={}, ready={}, registry=registry)
    with TestClient(webhook_app(door)) as client:
        lines = client.get("/metrics").text.splitlines()
    assert {one for one in lines if one.startswith("autopsy_redis")} == shown
