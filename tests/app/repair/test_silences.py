"""Alerts that are silenced from the thread. Axes: what fires, who asks, what Alertmanager answers, what was told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import msgspec
import pytest

from bot.app.ports import PostFailed
from bot.app.repair.ports import Silencer
from bot.app.requests import PressKind
from bot.remedy.plan import Actor
from tests.app.repair.small import Small
from tests.support.repair import BEN, EVE


class Alertmanager:
    """`Silencer` that records, or refuses once it took so many."""

    def __init__(self, refusal: str = "", takes: int = 0) -> None:
        self.refusal = refusal
        self.takes = takes
        self.silenced: list[tuple[Mapping[str, str], datetime, Actor]] = []
        self.comments: list[str] = []

    def silence(self, matchers: Mapping[str, str], until: datetime, by: Actor, incident: str, why: str) -> str:
        if self.refusal and len(self.silenced) >= self.takes:
            raise RuntimeError(self.refusal)
        self.silenced.append((matchers, until, by))
        self.comments.append(why)
        return f"s{len(self.silenced)}"


@pytest.fixture
def small(redis_url: str) -> Small:
    return Small(redis_url)


def with_labels(small: Small, labels: Mapping[str, Mapping[str, str]], firing: Sequence[str] | None = None) -> None:
    """Alerts with these labels came, and those of `firing` still fire: all of them where nothing is said."""
    now = small.incidents.by_id(small.incident.id)
    assert now is not None
    fires = tuple(f"{one}@1" for one in (labels if firing is None else firing))
    assert small.incidents.save(now, msgspec.structs.replace(now, labels=labels, firing=fires)) is not None


def silence(small: Small, silencer: Silencer | None, who: Actor = BEN) -> None:
    press = small.press(PressKind.SILENCE, who, incident=small.incident.id)
    small.replica("two", silencer=silencer).desk.handle(press)


def test_a_silence_is_of_exactly_the_alerts_that_still_fire_and_ends(small: Small) -> None:
    labels = {"f1": {"alertname": "GPUNodeUnhealthy", "node": "omen2"}, "f2": {"alertname": "KubeletDown"}}
    with_labels(small, labels, firing=["f1"])
    alertmanager = Alertmanager()
    silence(small, alertmanager)

    assert alertmanager.silenced == [(labels["f1"], small.clock.now() + timedelta(hours=8), BEN)]
    assert [one.startswith("silence of ") for one in alertmanager.comments] == [True], "the words are the cards'"
    assert "silenced" in small.types()


def test_a_silence_that_was_not_told_is_told_when_its_press_comes_again(small: Small) -> None:
    with_labels(small, {"f1": {"alertname": "A"}})
    press, alertmanager = small.press(PressKind.SILENCE, BEN, incident=small.incident.id), Alertmanager()
    desk = small.replica("two", silencer=alertmanager).desk
    small.board.fails = ["repair-silenced"]
    with pytest.raises(PostFailed):
        desk.handle(press)
    for _ in range(2):
        desk.handle(press)

    (told,) = [one for one in small.thread() if one.startswith("repair-silenced")]
    assert "count=1" in told
    assert "UTC" in told
    assert len(alertmanager.silenced) == 1


def test_silences_that_were_made_before_one_failed_are_written_down(small: Small) -> None:
    with_labels(small, {"f1": {"alertname": "A"}, "f2": {"alertname": "B"}})
    silence(small, Alertmanager("HTTP 400", takes=1))

    (entry,) = [one for one in small.journal.entries() if one["type"] == "silenced"]
    until = small.clock.now() + timedelta(hours=8)
    assert (entry["details.silences"], entry["details.until"]) == ("s1", until.isoformat())
    assert small.refused_in_audit() == ["repair-silence-failed"]


@pytest.mark.parametrize(
    ("labels", "silencer", "who", "reason"),
    [
        ({}, Alertmanager(), BEN, "repair-no-silence"),
        ({"f1": {"alertname": "A"}}, None, BEN, "repair-no-silence"),
        ({"f1": {"alertname": "A"}}, Alertmanager("HTTP 400"), BEN, "repair-silence-failed"),
        ({"f1": {"alertname": "A"}}, Alertmanager(), EVE, "repair-may-not"),
    ],
    ids=["no labels", "no Alertmanager", "it refuses", "who may not"],
)
def test_a_silence_that_cannot_be_is_refused_and_written_down(
    small: Small, labels: Mapping[str, Mapping[str, str]], silencer: Silencer | None, who: Actor, reason: str
) -> None:
    with_labels(small, labels)
    silence(small, silencer, who)

    assert small.refused_in_audit() == [reason]
    assert "silenced" not in small.types()
