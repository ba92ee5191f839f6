"""Silences that are never asked for, and answers that do not come; with a real Alertmanager: tests/real."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

import pytest

from bot.adapters.alertmanager import AlertmanagerSilencer
from bot.remedy.plan import Actor
from tests.support.alertmanager import answering
from tests.support.clusters import NOW, FixedClock
from tests.support.ports import free_port

UNTIL = NOW + timedelta(hours=8)
BY = Actor("slack:T0TEAM/U0ONCALL")
LABELS = {"alertname": "KubeVirtVMDown"}


@pytest.mark.parametrize("matchers", [{}, {"alertname": ""}, {"alertname": "A", "node": ""}], ids=str)
def test_a_silence_of_everything_is_not_asked_for(matchers: Mapping[str, str]) -> None:
    with pytest.raises(ValueError, match="labels with values"):
        AlertmanagerSilencer("http://127.0.0.1:9", FixedClock()).silence(matchers, UNTIL, BY, "i1", "x")


def test_nobody_answers() -> None:
    silencer = AlertmanagerSilencer(f"http://127.0.0.1:{free_port()}", FixedClock())
    with pytest.raises(RuntimeError, match="NewConnectionError"):
        silencer.silence(LABELS, UNTIL, BY, "i1", "x")


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (500, b"oops", "HTTP 500: oops"),
        (302, b"", "HTTP 302"),
        (200, b"<html>", "HTTP 200: <html>"),
        (200, b"{}", "HTTP 200: {}"),
    ],
)
def test_an_answer_that_is_no_silence_and_one_request_only(status: int, body: bytes, words: str) -> None:
    with answering(status, body) as (address, seen):
        silencer = AlertmanagerSilencer(address, FixedClock(), "secret")
        with pytest.raises(RuntimeError, match=words):
            silencer.silence(LABELS, UNTIL, BY, "i1", "x")
    assert [headers["Authorization"] for headers, _ in seen] == ["Bearer secret"]
