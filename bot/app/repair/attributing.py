"""Who says an event, when, where, and under which name: the part that all events have in common."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TypedDict

from bot.app.requests import Press
from bot.remedy.events import Person
from bot.remedy.plan import BOT, Actor

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
