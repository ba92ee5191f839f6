"""Who may approve in Slack, asked at every press and when a step runs; where Slack does not say, the answer is no."""

from __future__ import annotations

import structlog

from bot.app.ports.people import Groups, LookupFailed, People
from bot.entry.slack.guard import of_person
from bot.remedy.events import Person
from bot.remedy.plan import Actor

_log = structlog.get_logger(__name__)


class SlackAuthority:
    """`app.repair.ports.Authority` by configured users and user groups.

    Args:
        team: the workspace whose people count.
        people: tells guests, bots, deactivated accounts and strangers.
        groups: tells who is in a user group.
        users: ids of the people who may.
        approver_groups: ids of the user groups whose members may.
    """

    def __init__(
        self,
        team: str,
        people: People,
        groups: Groups,
        *,
        users: tuple[str, ...] = (),
        approver_groups: tuple[str, ...] = (),
    ) -> None:
        self._team = team
        self._people = people
        self._groups = groups
        self._users = users
        self._approver_groups = approver_groups

    def may(self, actor: Actor) -> Person:
        """Whether this person is an approver, a full member of the workspace, and still there."""
        where, _, user = actor.id.partition("/")
        if not user or where != f"slack:{self._team}":
            return Person(may=False, why="approver-other-front")
        try:
            reason = of_person(self._people.person(user), self._team)
            if reason is not None:
                return Person(may=False, why=f"approver-{reason.value.removeprefix('refused-')}")
            if user in self._users or any(user in self._groups.members(one) for one in self._approver_groups):
                return Person(may=True)
        except LookupFailed as why:
            return Person(may=False, why=f"approver-lookup-failed {why}")
        return Person(may=False, why="approver-not-listed")

    def others(self, actor: Actor) -> tuple[Actor, ...]:
        """The other approvers, as far as Slack tells them now."""
        found = dict.fromkeys(self._users)
        for group in self._approver_groups:
            try:
                found |= dict.fromkeys(sorted(self._groups.members(group)))
            except LookupFailed as why:
                # Whom it cannot name it leaves out; the break-glass itself is told and audited all the same.
                _log.warning("approver_group_unknown", group=group, why=str(why))
        everybody = (Actor(f"slack:{self._team}/{user}") for user in found)
        return tuple(one for one in everybody if one != actor)
