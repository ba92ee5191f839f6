"""Axes of a value: somebody's words, a reason, one with a detail, one inside another with the same blanks, lines."""

from __future__ import annotations

import pytest

from bot.adapters.files.knowledge import load_words
from bot.adapters.files.runbooks import read_runbooks
from bot.knowledge.words import MissingWords, Words
from bot.model.refs import node
from bot.narrate.reasons import in_words, line_in_words, with_root, with_titles
from bot.remedy.rules import because

WORDS = Words(
    lang="en",
    codes={},
    links={},
    reasons={
        "it-failed": "{subject} failed: {why}",
        "it-stopped": "{subject} stopped at {count}: {why}",
        "it-says": "it says {detail}",
        "it-counts": "{count} of {subject}",
    },
    labels={},
)


def test_somebodys_words_stay_as_they_are() -> None:
    assert in_words(WORDS, "it-failed", {"subject": "a", "why": "no {count} it-says"}) == "a failed: no {count} it-says"


@pytest.mark.parametrize("why", ["it-says HTTP 403: no", "it-says"])
def test_a_reason_may_have_a_detail_behind_it_or_beside_it(why: str) -> None:
    values = because({"subject": "a"}, why, {"detail": "HTTP 403: no"} if why == "it-says" else {})
    assert in_words(WORDS, "it-failed", values) == "a failed: it says HTTP 403: no"


def test_each_reason_of_three_keeps_its_own_values() -> None:
    inner = because({"subject": "b", "count": "2"}, "it-counts", {"count": "3", "subject": "c"})
    values = because({"subject": "a"}, "it-stopped", inner)
    assert in_words(WORDS, "it-failed", values) == "a failed: b stopped at 2: 3 of c"


def test_a_reason_without_its_values_shows_a_gap() -> None:
    assert in_words(WORDS, "it-failed", {"subject": "a", "why": "it-counts"}) == "a failed: … of a"


def test_each_line_of_a_value_is_looked_at() -> None:
    assert in_words(WORDS, "it-failed", {"subject": "a", "why": "+ b: c\nit-says d"}) == "a failed: + b: c\nit says d"


def test_what_is_no_reason_is_shown_as_it_may_be() -> None:
    assert line_in_words(WORDS, "slack:T0/U0", shown=lambda text: text[-2:]) == "U0"


def test_there_must_be_words() -> None:
    with pytest.raises(MissingWords):
        in_words(WORDS, "no-such-reason", {})


def test_steps_and_options_stand_by_their_titles_and_nothing_else_does() -> None:
    titles = {"guard": "Guard the card", "clear": "Clear it"}
    values = {"step": "guard", "waits": "guard, renamed", "name": "clear", "number": 1}
    told = {"step": "“Guard the card”", "waits": "“Guard the card”, renamed", "name": "clear", "number": 1}
    assert with_titles(values, lambda one: titles.get(one, "")) == told


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("root", sorted(root for one in read_runbooks()[0] for root in one.runbook.roots))
@pytest.mark.parametrize("reason", ["repair-root-over", "repair-root-gone", "repair-no-runbook", "repair-drifted"])
def test_what_is_repaired_stands_by_its_title_without_a_gap(reason: str, root: str, lang: str) -> None:
    words = load_words(lang)
    own = {"root": root, "subject": "node/omen2"}
    outside = {"root": "another", "subject": "ds/gpu", "step": "one", "name": "gpu"}
    values = because(outside, "repair-root-over", own) if reason == "repair-drifted" else own
    told = in_words(words, reason, with_root(words, values, node("omen2")))
    assert root not in told
    assert "…" not in told
    assert "omen2" in told
