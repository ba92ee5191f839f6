"""The presenter answers the port in its own language, for its own cluster."""

from __future__ import annotations

import pytest

from bot.app.ports import Presenter as Port
from bot.entry.presenter import Presenter
from bot.model.incident import Incident, Place
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


def test_a_reason_without_words_is_shown_by_its_name() -> None:
    assert Presenter(words(), "lab").say("no-such-reason", {}).text == "no-such-reason"


def test_a_reason_fills_its_blanks() -> None:
    said = Presenter(words(), "lab").say("section-forbidden", {"section": "nodes", "detail": "403", "mention": "U0ONE"})
    assert said.text == "<@U0ONE> the bot may not read nodes (403)"
