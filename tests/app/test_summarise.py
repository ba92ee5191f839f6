"""Axes: what the writer says or fails with, how often, the verdict, the moment; and that nothing else ever changes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.adapters.files.prompts import load_prompt
from bot.app.breaker import FAILURES, OPEN_FOR
from bot.app.ports.writer import Summariser, WriterFailed
from bot.app.summarise import Summarise
from bot.entry.presenter import Presenter
from bot.model.diagnosis import Diagnosis, Verdict
from bot.model.incident import Incident, Place
from bot.model.message import Message
from tests.support.answers import AT, OMEN2, told, with_journal, without_journal, words
from tests.support.blockkit import problems, written

GOOD = json.dumps(
    {
        "headline": "Swap on omen2 keeps the kubelet down.",
        "chain": [
            {"claim": "The kubelet of omen2 is down because swap is on.", "cites": ["f1", "f2"], "kind": "observed"}
        ],
        "unknowns": ["Whether node-repair-deletes holds."],
    }
)
SEEN, UNSEEN = with_journal((OMEN2,)), without_journal((OMEN2,))
INCIDENT = Incident(
    id="i1", cluster="lab", keys=("kubelet-swap-on node/omen2",), opened_by="r", opened_at=AT, place=Place("C1")
)


class Writing:
    """A writer that says what it was told to say."""

    def __init__(self, *says: str | WriterFailed) -> None:
        self.says = list(says)
        self.asked: list[tuple[str, str]] = []

    def write(self, instructions: str, evidence: str) -> str:
        self.asked.append((instructions, evidence))
        say = self.says.pop(0) if len(self.says) > 1 else self.says[0]
        if isinstance(say, WriterFailed):
            raise say
        return say


class Watch:
    """A clock that is set by hand."""

    def __init__(self, at: datetime = AT) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at


class Cap:
    """So many uses, on one day that never ends."""

    def __init__(self, uses: int) -> None:
        self.left = uses

    def take(self) -> bool:
        self.left -= 1
        return self.left >= 0


class Bench:
    """One use case with its surroundings."""

    def __init__(self, *says: str | WriterFailed, cap: int = 60) -> None:
        self.writer = Writing(*says)
        self.clock = Watch()
        self.outcomes: list[str] = []
        self.use_case = Summarise(
            self.writer,
            self.clock,
            Cap(cap),
            Presenter(words(), "lab").summary,
            instructions=load_prompt("summary"),
            lang="en",
            outcome=self.note,
        )
        self.port: Summariser = self.use_case

    def note(self, outcome: str, _values: Mapping[str, str]) -> None:
        self.outcomes.append(outcome)

    def summary(self, diagnosis: Diagnosis = SEEN) -> Message | None:
        return self.port.summary(diagnosis)


def variants(count: int) -> list[Diagnosis]:
    """The same outage, told at different times, so that none is remembered."""
    return [msgspec.structs.replace(SEEN, at=AT + timedelta(days=place)) for place in range(count)]


def test_a_grounded_summary_is_a_message_of_its_own_that_says_what_it_is() -> None:
    message = Bench(GOOD).summary()
    assert message is not None
    assert problems(message) == []
    shown = written(message)
    assert "nothing is decided by it" in shown
    assert "[observed] The kubelet of omen2 is down because swap is on." in shown
    assert "Rests on: kubelet-swap-on node/omen2, kubelet-down node/omen2" in shown
    assert "Whether node-repair-deletes holds." in shown


def test_the_writer_gets_the_prompt_of_the_folder_and_the_evidence() -> None:
    bench = Bench(GOOD)
    bench.summary()
    instructions, evidence = bench.writer.asked[0]
    assert instructions.startswith("You put a finished diagnosis")
    assert '"code": "kubelet-swap-on"' in evidence


@pytest.mark.parametrize(("reply", "outcome"), [(GOOD, "shown"), ("garbage", "ungrounded")])
def test_the_same_evidence_is_asked_about_once(reply: str, outcome: str) -> None:
    bench = Bench(reply)
    first = bench.summary()
    assert bench.summary() == first
    assert len(bench.writer.asked) == 1
    assert bench.outcomes == [outcome, "remembered"]


def test_a_failure_is_not_remembered() -> None:
    bench = Bench(WriterFailed("status 429"), GOOD)
    assert bench.summary() is None
    assert bench.summary() is not None
    assert bench.outcomes == ["failed", "shown"]


@pytest.mark.parametrize("verdict", [Verdict.HEALTHY, Verdict.UNKNOWN])
def test_where_nothing_is_broken_nobody_is_asked(verdict: Verdict) -> None:
    bench = Bench(GOOD)
    assert bench.summary(msgspec.structs.replace(SEEN, verdict=verdict)) is None
    assert bench.writer.asked == []


def test_after_failures_it_rests_and_then_tries_again() -> None:
    bench = Bench(WriterFailed("down"))
    for _ in range(FAILURES + 2):
        bench.summary()
    assert len(bench.writer.asked) == FAILURES
    assert bench.outcomes[-2:] == ["open", "open"]
    bench.clock.at += OPEN_FOR
    bench.writer.says = [GOOD]
    assert bench.summary() is not None


def test_the_daily_cap_holds() -> None:
    bench = Bench(GOOD, cap=2)
    assert [bench.summary(one) is not None for one in variants(3)] == [True, True, False]
    assert bench.outcomes[-1] == "capped"


def everything(presenter: Presenter, diagnosis: Diagnosis) -> bytes:
    """Every byte of the deterministic answer."""
    return msgspec.json.encode(
        [
            told(diagnosis),
            presenter.root(INCIDENT, diagnosis),
            presenter.thread(INCIDENT, diagnosis),
            presenter.answer(diagnosis),
            presenter.changed(UNSEEN, diagnosis, ()),
        ]
    )


NOTHING_CHANGED = {id(one): everything(Presenter(words(), "lab"), one) for one in (SEEN, UNSEEN)}
CLAIM = st.fixed_dictionaries(
    {
        "claim": st.sampled_from(["Run swapoff.", "Node omen2 is not ready.", "<!channel> omen2"])
        | st.text(max_size=220),
        "cites": st.lists(st.sampled_from(["f1", "f2", "f3", "f9", "../x"]), max_size=4),
        "kind": st.sampled_from(["observed", "inferred", "root"]),
    }
)
REPLY = (
    st.just(GOOD)
    | st.text(max_size=300)
    | st.fixed_dictionaries(
        {
            "headline": st.text(max_size=150),
            "chain": st.lists(CLAIM, max_size=7),
            "unknowns": st.lists(st.text(), max_size=6),
        },
        optional={"roots": st.just([]), "do_not": st.just([]), "verdict": st.just("healthy")},
    ).map(json.dumps)
)


@settings(max_examples=60, deadline=None)
@given(reply=REPLY, diagnosis=st.sampled_from([SEEN, UNSEEN]))
def test_whatever_the_llm_says_the_deterministic_answer_stays_the_same(reply: str, diagnosis: Diagnosis) -> None:
    presenter = Presenter(words(), "lab")
    bench = Bench(reply)
    message = bench.summary(diagnosis)
    assert message is None or problems(message) == []
    assert everything(presenter, diagnosis) == NOTHING_CHANGED[id(diagnosis)]


@pytest.mark.parametrize("reply", [GOOD, GOOD.replace("observed", "inferred"), "garbage", WriterFailed("down")])
def test_the_answer_is_the_same_with_and_without_a_summary(reply: str | WriterFailed) -> None:
    bench = Bench(reply)
    bench.summary()
    assert everything(Presenter(words(), "lab"), SEEN) == NOTHING_CHANGED[id(SEEN)]
