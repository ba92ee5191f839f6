"""Reasons of a plan in words. Axes: what stands under `why` (a reason, a person's words), whose blanks they share."""

from __future__ import annotations

import pytest

from bot.adapters.files.knowledge import load_words
from bot.model.sections import Section, Unknown, UnknownReason
from bot.narrate.plan import PlanPhrases
from bot.remedy.decision import Policy
from bot.remedy.rules import because

SAY = PlanPhrases(load_words("en"), "lab", Policy(), lambda _book, _section: "")
OUTSIDE = {"step": "guard-card", "subject": "n", "name": "n"}

DRIFTED = (
    "n is no longer as it was when step guard-card was approved: on of clusterpolicy/gpu is false, not true. "
    "Nothing was changed; ask for a new plan."
)


@pytest.mark.parametrize(
    ("key", "why", "values", "told"),
    [
        (
            "repair-verified",
            "repair-offered-resource",
            {"subject": "n", "seen": "1", "resource": "gpu"},
            "step guard-card on n is verified: n offers 1 of gpu",
        ),
        (
            "repair-drifted",
            "repair-sees-other",
            {"subject": "clusterpolicy/gpu", "field": "on", "seen": "false", "wanted": "true"},
            DRIFTED,
        ),
        (
            "repair-cannot-tell",
            "section-failed",
            {"section": "pods", "detail": "HTTP 403"},
            "whether step guard-card on n had its effect could not be seen: reading pods failed (HTTP 403)",
        ),
        (
            "repair-not-applied",
            "HTTP 422: no",
            {},
            "step guard-card on n failed and changed nothing: HTTP 422: no",
        ),
    ],
    ids=["the same object", "another object", "a section", "words"],
)
def test_a_reason_inside_a_reason_has_its_own_values(key: str, why: str, values: dict[str, str], told: str) -> None:
    assert SAY.reason(key, because(OUTSIDE, why, values)) == told


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("key", ["repair-cordons-unread", "repair-own-pods-unread"])
def test_what_was_not_read_is_told_without_a_key(key: str, lang: str) -> None:
    words, missing = load_words(lang), Unknown(UnknownReason.FAILED, "list-without-nodes")
    say = PlanPhrases(words, "lab", Policy(), lambda *_: "")
    told = say.reason(key, because(OUTSIDE, missing.why, missing.about(Section.NODES)))
    assert words.reason("list-without-nodes") in told
    assert "list-without-nodes" not in told
    assert "failed:" not in told
