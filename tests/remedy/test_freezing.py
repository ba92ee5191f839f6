from __future__ import annotations

import pytest

from bot.remedy.decision import Freeze, Policy
from bot.remedy.events import Person
from bot.remedy.freezing import freeze, unfreeze
from bot.remedy.plan import BOT
from tests.support.repairs import ANN, AT, BEN, CLEO, FROZEN, MAY, POLICY, THAWED

NOBODY = Person(may=False, why="a guest")


def test_one_person_freezes() -> None:
    decision = freeze(THAWED, BEN, MAY, "the node burns", AT)
    assert decision.freeze == Freeze(frozen=True, why="the node burns", by=BEN)
    assert (decision.entry.type, decision.entry.actor) == ("freeze", BEN)


def test_two_distinct_people_unfreeze() -> None:
    first = unfreeze(FROZEN, ANN, MAY, AT, POLICY)
    assert (first.freeze.frozen, first.freeze.unfreeze_votes) == (True, (ANN,))
    again = unfreeze(first.freeze, ANN, MAY, AT, POLICY)
    assert (again.changed, again.freeze) == (False, first.freeze)
    second = unfreeze(first.freeze, BEN, MAY, AT, POLICY)
    assert (second.freeze, second.entry.type) == (Freeze(frozen=False), "unfreeze")


def test_one_person_unfreezes_in_a_team_of_one() -> None:
    assert not unfreeze(FROZEN, ANN, MAY, AT, Policy(solo=True)).freeze.frozen


def test_freezing_again_voids_the_votes() -> None:
    voted = unfreeze(FROZEN, ANN, MAY, AT, POLICY).freeze
    assert freeze(voted, CLEO, MAY, "still burns", AT).freeze.unfreeze_votes == ()


@pytest.mark.parametrize("who", [ANN, BOT])
def test_who_may_not_changes_nothing(who: object) -> None:
    person = MAY if who == BOT else NOBODY
    for decision in (freeze(THAWED, who, person, "x", AT), unfreeze(FROZEN, who, person, AT, POLICY)):  # type: ignore[arg-type]
        assert (decision.changed, decision.entry.type) == (False, "refused")


def test_what_is_not_frozen_is_not_unfrozen() -> None:
    assert unfreeze(THAWED, ANN, MAY, AT, POLICY).reason == "repair-not-frozen"
