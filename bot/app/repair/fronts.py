"""One authority for both fronts: whom Slack knows, and in the terminal whom the API server knows."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from bot.app.repair.ports import NOT_ASKED_HERE, Authority
from bot.remedy.events import Person
from bot.remedy.plan import TERMINAL, Actor

#: What Slack's authority says where it cannot know, or does not list somebody whom the configuration lists here.
_SAYS_NOTHING = ("approver-lookup-failed", NOT_ASKED_HERE, "approver-not-listed")


class Fronts:
    """Implements `ports.Authority`.

    Args:
        slack: answers for Slack's people.
        team: the Slack workspace's id.
        kubernetes: Kubernetes users who may, each with the Slack id of the same person, or nothing.
    """

    def __init__(self, slack: Authority, team: str, kubernetes: Mapping[str, str]) -> None:
        self._slack = slack
        self._aliases = {
            f"{TERMINAL}{name}": Actor(f"slack:{team}/{user}") if user else None for name, user in kubernetes.items()
        }

    def may(self, actor: Actor) -> Person:
        """Whether this person may: in Slack as Slack says, in the terminal as the configuration says.

        The terminal is there for when Slack is not, so its silence is no refusal there; its word that an account is
        deactivated, a guest's or a stranger's is. Who these people are the configuration vouches for, where Slack does
        not tell, by either of their names: whoever lists them says that they are several.
        """
        if not actor.id.startswith(TERMINAL):
            person = self._slack.may(actor)
            return _vouched(person) if actor in self._aliases.values() else person
        if actor.id not in self._aliases:
            # Somebody of their own, who may ask for a plan: whoever has Redis and the audit key here needs no disguise.
            return Person(may=False, why="approver-not-listed")
        alias = self._aliases[actor.id]
        told = self._slack.may(alias) if alias else Person(may=True)
        may = told.may or told.why.startswith(_SAYS_NOTHING)
        return _vouched(Person(may=may, why="" if may else told.why, identity=told.identity))

    def others(self, actor: Actor) -> tuple[Actor, ...]:
        """See `Authority.others`; a person who has both names counts once, by the one in Slack."""
        person = self.person(actor)
        found = dict.fromkeys(self._slack.others(person))
        found |= dict.fromkeys(alias or Actor(name) for name, alias in self._aliases.items())
        return tuple(one for one in found if one != person)

    def person(self, actor: Actor) -> Actor:
        """One name for each person: the one in Slack, if the configuration tells it. Two names are no two people."""
        return self._aliases.get(actor.id) or actor


def _vouched(person: Person) -> Person:
    return msgspec.structs.replace(person, identity=msgspec.structs.replace(person.identity, vouched=True))
