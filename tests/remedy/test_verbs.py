"""What the lint allows is what the hands can do: both tables say the same of every verb."""

from __future__ import annotations

import pytest

from bot.adapters.kubernetes.mutations import MUTATIONS as DONE
from bot.remedy.runbook import MUTATIONS, Verb
from bot.remedy.verbs import SHAPES


def test_every_verb_has_a_shape() -> None:
    assert set(SHAPES) == set(Verb)


@pytest.mark.parametrize("verb", sorted(MUTATIONS))
def test_the_hands_do_what_the_lint_allows(verb: Verb) -> None:
    shape, done = SHAPES[verb], DONE[verb]
    assert (shape.params, shape.optional) == (done.params, done.optional)
    # A selection names the pool; what is changed are its nodes.
    assert shape.kinds - ({"nodepool"} if shape.selects else set()) == done.kinds
