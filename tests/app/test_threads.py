"""What the root message shows. Axes: an alert's incident or a question's; what changes; who edits at the same time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import pytest

from bot.adapters.redis.client import Keys, connect
from bot.adapters.redis.incidents import RedisIncidents
from bot.app.incidents import opening
from bot.app.threads import Threads
from bot.model.diagnosis import Diagnosis
from bot.model.incident import Incident, Place, State
from bot.model.message import Message
from tests.support.desk import AT, PlainPresenter, SlackBoard, chains
from tests.support.redis import SetClock


class Standing(PlainPresenter):
    """Shows the incident's fields."""

    def root(self, incident: Incident, diagnosis: Diagnosis) -> Message:
        return Message(_fields(incident))

    def answer(self, diagnosis: Diagnosis, incident: Incident | None = None) -> Message:
        return Message(f"answer: {_fields(incident) if incident else 'of nothing'}")


def _fields(incident: Incident) -> str:
    return f"{incident.state} {incident.waiting} {incident.owner} {','.join(incident.left)}".strip()


class Overtaken(SlackBoard):
    """Somebody else changes the incident right before an edit of ours arrives."""

    def __init__(self) -> None:
        super().__init__()
        self.meanwhile: Callable[[], None] = lambda: None

    def edit(self, place: Place, ts: str, message: Message) -> None:
        meanwhile, self.meanwhile = self.meanwhile, lambda: None
        meanwhile()
        super().edit(place, ts, message)


class Channel:
    """One incident with its root message."""

    def __init__(self, url: str, source: str) -> None:
        self.board = Overtaken()
        self.incidents = RedisIncidents(connect(url), Keys("lab"))
        self.threads = Threads(
            incidents=self.incidents, poster=self.board, presenter_of=lambda _channel: Standing(), clock=SetClock()
        )
        fresh = opening(cluster="lab", request_id="r1", at=AT, place=Place("C0GPU"), source=source)
        self.incident = self.threads.post_root(self.incidents.open(fresh), chains())

    def change(self, changes: Mapping[str, Any]) -> Incident:
        now = self.incidents.by_id(self.incident.id)
        assert now is not None
        return self.threads.update(now, lambda one: msgspec.structs.replace(one, **changes))

    def shown(self) -> str:
        return self.board.posts[0].text


@pytest.mark.parametrize(("source", "before"), [("group:1", ""), ("", "answer: ")], ids=["an alert's", "a question's"])
def test_the_root_message_says_how_the_incident_stands(redis_url: str, source: str, before: str) -> None:
    channel = Channel(redis_url, source)
    channel.threads.edit_root(channel.change({"state": State.WAITING, "waiting": "guard-card"}), chains())

    assert channel.shown() == f"{before}waiting guard-card"


@pytest.mark.parametrize(
    "later",
    [{"waiting": "host-off"}, {"owner": "slack:T0/U0ANA"}, {"left": ("vm-unschedulable",)}],
    ids=lambda one: next(iter(one)),
)
def test_an_edit_that_was_overtaken_is_made_again(redis_url: str, later: Mapping[str, Any]) -> None:
    channel = Channel(redis_url, "group:1")
    first = channel.change({"state": State.WAITING, "waiting": "guard-card"})
    channel.board.meanwhile = lambda: channel.threads.edit_root(channel.change(later), chains())
    channel.threads.edit_root(first, chains())

    now = channel.incidents.by_id(first.id)
    assert now is not None
    assert channel.shown() == _fields(now)
