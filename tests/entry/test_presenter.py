"""The presenter answers the port in its own language, for its own cluster."""

from __future__ import annotations

import msgspec
import pytest

from bot.adapters.files.runbooks import load_runbooks
from bot.app.ports import Presenter as Port
from bot.entry.presenter import Presenter
from bot.model.incident import Incident, Place, State
from tests.support.answers import AT, OMEN2, with_journal, without_journal, words
from tests.support.blockkit import problems, written

INCIDENT = Incident(id="i1", cluster="lab", keys=("a node/omen2",), opened_by="r", opened_at=AT, place=Place("C1"))


@pytest.mark.parametrize(("lang", "root"), [("en", "Root: Swap is on at omen2"), ("ko", "omen2의 스왑이 켜져 있음")])
def test_it_answers_the_port(lang: str, root: str) -> None:
    presenter: Port = Presenter(words(lang), "lab", {"kubelet-swap-on": "kubelet-swap-on"})
    before, after = without_journal((OMEN2,)), with_journal((OMEN2,))
    messages = [
        presenter.root(INCIDENT, after),
        *presenter.thread(INCIDENT, after),
        presenter.changed(before, after, ()),
        presenter.answer(after),
    ]
    assert all(root in written(one) for one in (messages[0], messages[1], messages[-1]))
    assert [problems(one) for one in messages] == [[]] * len(messages)
    assert presenter.folded(INCIDENT).text != presenter.resolved(INCIDENT).text


@pytest.mark.parametrize(
    ("lang", "runbook", "begins"),
    [
        ("en", "kubelet-swap", "WAITING FOR “Start the kubelet” lab node/omen2: "),
        ("ko", "kubelet-swap", "“kubelet 시작” 단계 대기 lab node/omen2: "),
        ("en", "gone-since", "WAITING FOR “start-kubelet” lab node/omen2: "),
    ],
)
def test_the_root_message_names_the_step_it_waits_for_as_its_runbook_does(lang: str, runbook: str, begins: str) -> None:
    presenter = Presenter(words(lang), "lab", {}, load_runbooks().text)
    waiting = msgspec.structs.replace(
        INCIDENT, state=State.WAITING, waiting="start-kubelet", waiting_in=runbook, sources=("s",)
    )
    for message in (presenter.root(waiting, with_journal((OMEN2,))), presenter.folded(waiting)):
        assert message.text.startswith(begins)


def test_the_longest_title_of_a_step_leaves_room_for_cluster_and_object() -> None:
    presenter = Presenter(words(), "lab", {}, lambda *_: "Clear the condition on " + "the marked nodes " * 9)
    waiting = msgspec.structs.replace(INCIDENT, state=State.WAITING, waiting="clear", waiting_in="b", sources=("s",))
    assert " lab node/omen2: DO NOT" in presenter.root(waiting, with_journal((OMEN2,))).text[:100]


def test_a_reason_without_words_is_shown_by_its_name() -> None:
    assert Presenter(words(), "lab").say("no-such-reason", {}).text == "no-such-reason"


def test_a_reason_fills_its_blanks() -> None:
    said = Presenter(words(), "lab").say("section-forbidden", {"section": "nodes", "detail": "403", "mention": "U0ONE"})
    assert said.text == "<@U0ONE> the bot may not read nodes (403)"
