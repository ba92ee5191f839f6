"""The people of a rehearsal: typed identities, which exist with the simulated cluster only."""

from __future__ import annotations

from collections.abc import Sequence

from bot.remedy.events import Person
from bot.remedy.plan import Actor


class Typed:
    """`app.repair.ports.Authority`: those on the list may, nobody else."""

    def __init__(self, people: Sequence[Actor]) -> None:
        self._people = tuple(people)

    def may(self, actor: Actor) -> Person:
        """Whether this actor is on the list."""
        return Person(may=actor in self._people, why="" if actor in self._people else "approver-not-listed")

    def others(self, actor: Actor) -> tuple[Actor, ...]:
        """Everybody else on the list."""
        return tuple(one for one in self._people if one != actor)
