"""Who says an event, when, where, under which name, and who the others are whose words count with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TypedDict

from bot.app.repair.ports import NOT_ASKED_HERE, Authority
from bot.app.requests import Press
from bot.remedy.events import Person
from bot.remedy.plan import BOT, Actor, Identity, Plan
from bot.remedy.rules import counted

#: Begins the names of Slack's people.
SLACK = "slack:"


class Said(TypedDict):
    """Of every event (`remedy.events`)."""

    actor: Actor
    at: datetime
    op_id: str


class SaidByPerson(Said):
    """Of every event that a person causes."""

    person: Person
    pressed: Mapping[str, str]


class Asked(TypedDict):
    """Of every event before which people are asked for again."""

    voters_may: bool
    voter: str
    why_not: str
    known: Mapping[str, Identity]


def asked(authority: Authority, plan: Plan, step: str) -> Asked:
    """The first whose approval counts no more, and why; and who everybody is whose word counts for the step.

    Where Slack is not asked, what its people approved counts as it was given: a terminal is there for when it is down.
    """
    people = {one: authority.may(one) for one in _concerned(plan, step)}
    voters = {one.actor.id: people[one.actor] for one in counted(plan.step(step))}
    barred = [(one, person.why) for one, person in voters.items() if not person.may and person.why != NOT_ASKED_HERE]
    voter, why = next(iter(barred), ("", ""))
    known = {one.id: person.identity for one, person in people.items()}
    return {"voters_may": not voter, "voter": voter, "why_not": why, "known": known}


def of_step(authority: Authority, plan: Plan, step: str) -> Mapping[str, Identity]:
    """Who everybody is who said something of the step, and who asked for the plan, by their ids, as of now."""
    return identities(authority, _concerned(plan, step))


def identities(authority: Authority, people: Iterable[Actor]) -> Mapping[str, Identity]:
    """Who these are, by their ids, as of now: what nobody could tell when they spoke may be told by now."""
    return {one.id: authority.may(one).identity for one in people}


def _concerned(plan: Plan, step: str) -> tuple[Actor, ...]:
    one = plan.step(step)
    people = (*one.approved_by, *one.told_by, *(word.actor for word in one.resolutions), plan.requester)
    return tuple(each for each in dict.fromkeys(people) if each != BOT)


def said_by_bot(at: datetime, op_id: str) -> Said:
    """The bot's own: `op_id` names this very event."""
    return {"actor": BOT, "at": at, "op_id": op_id}


def said_by_person(press: Press, person: Person) -> SaidByPerson:
    """What a press causes: its id is the op id, so that a redelivered one changes nothing."""
    return {"actor": press.actor, "at": press.at, "op_id": press.id, "person": person, "pressed": pressed(press)}


def pressed(press: Press) -> Mapping[str, str]:
    """Where it was pressed, in the ids of the front, for the audit: with them Slack's own log tells the same.

    Team and user stand in the actor, the digest of what was shown in the entry.
    """
    if not press.actor.id.startswith(SLACK):
        return {"pressed.front": "terminal"}
    told = {
        "front": "slack",
        "channel": press.place.channel,
        "thread": press.place.thread,
        "message": press.message,
        "action": press.action,
    }
    return {f"pressed.{name}": text for name, text in told.items() if text}
