"""Who may, by the front that vouches for them: Slack for its users, the API server for those of a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bot.app.repair.ports import Authority
from bot.remedy.events import Person
from bot.remedy.plan import Actor

#: How actors of a terminal are called: their name as the API server says it.
KUBERNETES = "k8s"


def kubernetes_user(name: str) -> Actor:
    """The actor that a user of the API server is."""
    return Actor(f"{KUBERNETES}:{name}")


class Listed:
    """`Authority` of exactly these."""

    def __init__(self, actors: Iterable[Actor]) -> None:
        self._actors = tuple(dict.fromkeys(actors))

    def may(self, actor: Actor) -> Person:
        """Whether the actor is one of them."""
        return Person(may=True) if actor in self._actors else Person(may=False, why="approver-not-listed")

    def others(self, actor: Actor) -> tuple[Actor, ...]:
        """All but this one."""
        return tuple(one for one in self._actors if one != actor)


class Fronts:
    """`Authority` over several fronts, by what actors of each begin with (`slack`, `k8s`)."""

    def __init__(self, fronts: Mapping[str, Authority]) -> None:
        self._fronts = dict(fronts)

    def may(self, actor: Actor) -> Person:
        """What the actor's own front says."""
        front = self._fronts.get(actor.id.partition(":")[0])
        return front.may(actor) if front else Person(may=False, why="approver-other-front")

    def others(self, actor: Actor) -> tuple[Actor, ...]:
        """Everybody else, of every front."""
        return tuple(dict.fromkeys(one for front in self._fronts.values() for one in front.others(actor)))


class Twins:
    """The same person's actors of several fronts."""

    def __init__(self, people: Iterable[tuple[Actor, ...]]) -> None:
        self._people = [frozenset(one) for one in people if len(one) > 1]

    def __call__(self, actor: Actor) -> tuple[Actor, ...]:
        """The other actors of this one's person."""
        return tuple(
            one for person in self._people if actor in person for one in sorted(person, key=_id) if one != actor
        )


def _id(actor: Actor) -> str:
    return actor.id
