"""Axes: what the person on duty asks for; what the incident holds; what the world beside answers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

import msgspec
import pytest

from bot.app.repair.ports import Silencer
from bot.app.requests import Press, PressKind
from bot.model.incident import Incident, State
from bot.remedy.plan import Actor, PlanState
from tests.app.repair.small import Small
from tests.support.desk import chains, fault
from tests.support.repair import ANA, BEN, CAI, EVE


class Alertmanager:
    """`Silencer` that records, or refuses."""

    def __init__(self, refusal: str = "") -> None:
        self.refusal = refusal
        self.silenced: list[tuple[Mapping[str, str], datetime, Actor]] = []

    def silence(self, matchers: Mapping[str, str], until: datetime, by: Actor, why: str) -> str:
        if self.refusal:
            raise RuntimeError(self.refusal)
        self.silenced.append((matchers, until, by))
        return f"s{len(self.silenced)}"


class Stories:
    """`PostMortems`."""

    def markdown(self, incident: Incident, channel: str) -> str:
        return f"# {incident.id}"


@pytest.fixture
def small(redis_url: str) -> Small:
    return Small(redis_url)


def with_labels(small: Small, labels: Mapping[str, Mapping[str, str]]) -> None:
    now = small.incidents.by_id(small.incident.id)
    assert now is not None
    assert small.incidents.save(now, msgspec.structs.replace(now, labels=labels)) is not None


def do(small: Small, press: Press, silencer: Silencer | None = None) -> None:
    small.replica("two", silencer=silencer, stories=Stories()).desk.handle(press)


def about(small: Small, kind: PressKind, who: Actor) -> Press:
    return small.press(kind, who, incident=small.incident.id)


def test_a_silence_is_of_exactly_the_alerts_that_led_here_and_ends(small: Small) -> None:
    labels = {"f1": {"alertname": "GPUNodeUnhealthy", "node": "omen2"}}
    with_labels(small, labels)
    alertmanager = Alertmanager()
    do(small, about(small, PressKind.SILENCE, BEN), alertmanager)

    assert alertmanager.silenced == [(labels["f1"], small.clock.now() + timedelta(hours=8), BEN)]
    assert "silenced" in small.types()


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
    do(small, about(small, PressKind.SILENCE, who), silencer)

    assert small.refused_in_audit() == [reason]
    assert "silenced" not in small.types()


def test_the_post_mortem_comes_into_the_thread_and_is_noted(small: Small) -> None:
    do(small, about(small, PressKind.POSTMORTEM, CAI))

    assert any(f"# {small.incident.id}" in one for one in small.thread())
    assert "exported" in small.types()


def test_an_incident_that_nobody_keeps_is_said(small: Small) -> None:
    do(small, msgspec.structs.replace(about(small, PressKind.TAKE, CAI), incident="nothing"))

    assert small.refused_in_audit() == ["repair-no-such-incident"]


def test_a_choice_goes_to_whoever_has_hands(small: Small) -> None:
    sent: list[Press] = []
    press = small.press(PressKind.CHOOSE, ANA, "", digest="", option="only")
    small.replica("front", forward=sent.append).desk.handle(press)

    assert sent == [press]
    assert small.refused_in_audit() == []


@pytest.mark.parametrize(("still", "state"), [(False, State.RESOLVED), (True, State.MITIGATED)])
def test_what_was_repaired_and_is_not_seen_any_more_is_resolved(small: Small, still: bool, state: State) -> None:
    for step in ("first", "second"):
        small.approve(step=step)
        small.run()
    assert small.plan().state is PlanState.DONE
    small.seen = chains([fault("kubelet-swap-on", "node/omen2")]) if still else chains()
    small.repairs.sweeper.run_once()

    incident = small.incidents.by_id(small.incident.id)
    assert incident is not None
    assert incident.state is state
    assert small.thread()[0].startswith(state.value.upper())
