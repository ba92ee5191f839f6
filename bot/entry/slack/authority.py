"""Who may approve in Slack, asked at every press and when a step runs; where Slack does not say, the answer is no."""

from __future__ import annotations

import hashlib

import structlog

from bot.app.ports.people import Groups, LookupFailed, People
from bot.app.ports.people import Person as Account
from bot.entry.slack.guard import of_person
from bot.remedy.events import Person
from bot.remedy.plan import Actor, Identity

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
            return _unknown("approver-other-front")
        try:
            person = self._people.person(user)
        except LookupFailed as why:
            return _unknown(f"approver-lookup-failed {why}")
        no = self._why_not(person)
        return Person(may=not no, why=no, identity=identity_of(person))

    def forget(self, group: str) -> None:
        """The group has changed: ask anew who is in it."""
        self._groups.forget(group)

    def _why_not(self, person: Account) -> str:
        """Why this account may not approve; empty if it may."""
        reason = of_person(person, self._team)
        if reason is not None:
            return f"approver-{reason.value.removeprefix('refused-')}"
        try:
            listed = person.id in self._users or any(
                person.id in self._groups.members(one) for one in self._approver_groups
            )
        except LookupFailed as why:
            return f"approver-lookup-failed {why}"
        return "" if listed else "approver-not-listed"

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


def identity_of(account: Account) -> Identity:
    """Which person an account is: the e-mail address tells, which whoever gives out accounts has checked.

    An organisation's id tells that two accounts are one person, but not that they are two: so the address is needed.
    Of both a fingerprint is kept, enough to compare: plans and audit are kept for good, addresses do not belong there.
    """
    told = {"email": account.email, "enterprise": account.enterprise}
    names = tuple(f"{kind}:{_fingerprint(value)}" for kind, value in told.items() if value)
    return Identity(names=names, unknown="" if account.email else "approver-no-email")


def _fingerprint(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()[:32]


def _unknown(why: str) -> Person:
    return Person(may=False, why=why, identity=Identity(unknown=why))
