"""Which accounts are one person, and how many people have spoken for certain: accounts are not people.

Two accounts are one person where they have a name in common. They are certainly two people where it was told who both
are, or where the configuration names both. Of any other two it is not known, so they are never counted as two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from bot.remedy.plan import BOT, Actor, Identity

#: Of somebody after whom nobody has asked.
_NEVER_ASKED = Identity(unknown="approver-never-asked")


class Count(msgspec.Struct, frozen=True, kw_only=True):
    """How many people have spoken, for certain.

    Attributes:
        have: so many at least, whoever those are who could not be told.
        unsure: where that is fewer than seem to have spoken: who could not be told, by their ids, and why.
    """

    have: int
    unsure: Mapping[str, str] = {}


class _One(msgspec.Struct, frozen=True):
    """One person: the accounts, the first that spoke before all others, and what is known of any of them."""

    accounts: tuple[Actor, ...]
    names: frozenset[str]
    is_told: bool
    is_listed: bool

    def joined(self, other: _One) -> _One:
        return _One(
            (*self.accounts, *other.accounts),
            self.names | other.names,
            self.is_told or other.is_told,
            self.is_listed or other.is_listed,
        )

    def is_surely_not(self, other: _One) -> bool:
        return (self.is_told and other.is_told) or (self.is_listed and other.is_listed)


class Persons:
    """Tells persons by their accounts.

    Args:
        known: what is known of accounts, by their ids; also of those that say nothing here, which may show that two
            others are one person.
        also_known_as: ids of accounts, each with that of another of the same person, as the configuration says.
    """

    def __init__(self, known: Mapping[str, Identity], also_known_as: Mapping[str, str]) -> None:
        self._known = known
        self._also_known_as = also_known_as

    def people(self, actors: Iterable[Actor]) -> tuple[Actor, ...]:
        """Each person once, by the account that came first."""
        return tuple(one.accounts[0] for one in self._each(actors))

    def same(self, one: Actor, other: Actor) -> bool:
        """Whether two accounts are certainly one person's."""
        return len(self.people((one, other))) == 1

    def untold(self, actor: Actor) -> str:
        """Why this word counts beside nobody else's, where nothing tells who says it; empty where something does."""
        (one,) = self._each((actor,))
        return "" if one.is_told or one.is_listed else self._of(actor).unknown

    def count(self, actors: Iterable[Actor], *, beside: Actor = BOT) -> Count:
        """How many people these are at least, beside one who does not count.

        It is the largest set of them of whom any two are certainly two people; less one where the one who does not
        count may be among these, by an account of which that is not known. The order tells nothing.
        """
        spoke = tuple(dict.fromkeys(actors))
        asked = spoke if beside == BOT else (*spoke, beside)
        everybody = self._each(asked)
        out = next((one for one in everybody if beside in one.accounts), None)
        counting = [one for one in everybody if one is not out]
        told, listed = ([one for one in counting if one.is_told], [one for one in counting if one.is_listed])
        alone = 1 if counting and out is None else 0
        have = max(alone, *(len(one) - _may_be_among(out, one) for one in (told, listed)))
        untold = {account for one in everybody if not one.is_told for account in one.accounts}
        unsure = {one.id: self._of(one).unknown for one in asked if one in untold}
        return Count(have=have, unsure=unsure if have < len(counting) else {})

    def _each(self, actors: Iterable[Actor]) -> tuple[_One, ...]:
        """Each person who spoke, in the order of their first words."""
        spoke = tuple(dict.fromkeys(actors))
        found: list[_One] = []
        for account in dict.fromkeys((*spoke, *map(Actor, self._known))):
            one = self._alone(account)
            same = [each for each in found if each.names & one.names]
            place = found.index(same[0]) if same else len(found)
            for each in reversed(same):
                one = each.joined(one)
            found = [each for each in found if each not in same]
            found.insert(place, one)
        return tuple(one for one in found if one.accounts[0] in spoke)

    def _alone(self, account: Actor) -> _One:
        known = self._of(account)
        names = {account.id, self._also_known_as.get(account.id, account.id), *known.names}
        return _One((account,), frozenset(names), not known.unknown, known.vouched)

    def _of(self, account: Actor) -> Identity:
        return self._known.get(account.id, _NEVER_ASKED)


def _may_be_among(one: _One | None, others: Iterable[_One]) -> bool:
    return one is not None and not all(map(one.is_surely_not, others))
