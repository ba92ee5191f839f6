"""What the lint allows is what the hands can do."""

from __future__ import annotations

from bot.adapters.kubernetes.mutations import MUTATIONS as DONE
from bot.remedy.runbook import MUTATIONS, Verb
from bot.remedy.verbs import SHAPES


def test_every_verb_has_a_shape() -> None:
    assert set(SHAPES) == set(Verb)


def test_the_hands_do_what_the_lint_allows() -> None:
    assert set(DONE) == MUTATIONS
