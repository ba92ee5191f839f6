"""Plays every order of some moves, by going back to a moment and on from it in another way.

Two moments count as one state where everything is the same but times and names (`Played.state`): from a state each move
is played once, whatever the way to it was.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tests.app.repair.moves import Move
from tests.app.repair.played import Played
from tests.app.repair.saved import Saved


class Place(NamedTuple):
    """A state: the shortest way to it, and its moment."""

    way: tuple[Move, ...]
    moment: Saved

    def __str__(self) -> str:
        return ", ".join(map(str, self.way)) or "the beginning"


class Step(NamedTuple):
    """Where a move leads to, and whether the bot refused it."""

    to: bytes
    is_refused: bool


class Covered(NamedTuple):
    """What was played: from how many states, how many moves in all, and which of them the bot let happen somewhere."""

    states: int
    played: int
    permitted: frozenset[Move]
    refused: frozenset[Move]


class End(NamedTuple):
    """What an order came to."""

    cuda: str
    was_refused: bool


class Map:
    """The states that moves lead to.

    Args:
        world: stands at the beginning.
        store: the simulated server's.
    """

    def __init__(self, world: Played, store: Any) -> None:
        self._world = world
        self._store = store
        self._begin = world.state()
        self._steps: dict[tuple[bytes, Move], Step] = {}
        self._cuda = {self._begin: world.cuda()}
        self.places = {self._begin: Place((), world.save(store))}

    def walk(self, moves: Sequence[Move]) -> Iterator[Place]:
        """Every state that is reached by these moves, once, with the world in it.

        So all their orders are covered, of any length, and with every move as often as one likes.
        """
        seen, waiting = {self._begin}, deque([self._begin])
        while waiting:
            here = waiting.popleft()
            self._world.back(self._store, self.places[here].moment)
            yield self.places[here]
            for move in moves:
                there = self._step(here, move).to
                if there not in seen:
                    seen.add(there)
                    waiting.append(there)

    def orders(self, moves: Sequence[Move]) -> Counter[End]:
        """How many orders of exactly these moves come to what."""
        known: dict[tuple[bytes, tuple[Move, ...]], Counter[End]] = {}

        def ends(here: bytes, left: tuple[Move, ...]) -> Counter[End]:
            if not left:
                return Counter({End(self._cuda[here], False): 1})
            if (here, left) not in known:
                found: Counter[End] = Counter()
                for move in set(left):
                    step, at = self._step(here, move), left.index(move)
                    for end, count in ends(step.to, left[:at] + left[at + 1 :]).items():
                        found[End(end.cuda, end.was_refused or step.is_refused)] += count
                known[here, left] = found
            return known[here, left]

        return ends(self._begin, tuple(sorted(moves)))

    def covered(self) -> Covered:
        """What was played until now."""
        permitted, refused = (
            frozenset(move for (_, move), step in self._steps.items() if step.is_refused is which)
            for which in (False, True)
        )
        return Covered(len({here for here, _ in self._steps}), len(self._steps), permitted, refused)

    def _step(self, here: bytes, move: Move) -> Step:
        if (here, move) not in self._steps:
            place, world = self.places[here], self._world
            world.back(self._store, place.moment)
            before = len(world.refusals())
            world.do(move)
            there = world.state()
            if there not in self.places:
                self.places[there] = Place((*place.way, move), world.save(self._store))
                self._cuda[there] = world.cuda()
            self._steps[here, move] = Step(there, len(world.refusals()) > before)
        return self._steps[here, move]
