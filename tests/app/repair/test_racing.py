"""Two executors race for one approved step. Axes: which of the two things that keep them apart is there.

The journal gives the step to one of them; where each has a journal of its own, the claim in the cluster and the
request's precondition do. Without either the step happens twice, which shows that it would be seen.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.racing import Races, racing
from tests.support.servers import Simulated

ROUNDS = 12


@pytest.fixture
def races(redis_url: str, simulated: Simulated) -> Iterator[Races]:
    with racing(redis_url, simulated) as races:
        yield races


@pytest.mark.parametrize(
    ("shares_journal", "is_careless"), [(True, False), (True, True), (False, False)], ids=["both", "journal", "claim"]
)
def test_one_effect_in_every_round(races: Races, shares_journal: bool, is_careless: bool) -> None:
    race = races(shares_journal=shares_journal, is_careless=is_careless)
    heats = [race.heat(number) for number in range(ROUNDS)]
    for heat in heats:
        assert (heat.effects, heat.is_claimed) == (1, not is_careless)
        assert "verified" in heat.states
        # Whoever finds the other's claim looks, and asks people where nothing is to be seen yet.
        assert set(heat.states) <= ({"verified"} if shares_journal else {"verified", "unknown"})
    assert set(race.audited("audit-gap").values()) == (set() if shares_journal else {1})
    assert set(race.audited("intent").values()) == {len(race.journals)}
    assert set(race.audited("outcome").values()) == {len(race.journals)}


def test_without_both_it_happens_twice_and_is_seen(races: Races) -> None:
    race = races(shares_journal=False, is_careless=True)
    assert [race.heat(number).effects for number in range(3)] == [2, 2, 2]
